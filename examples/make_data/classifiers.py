"""Make the bundled data set ``classifiers``: scores of scikit-learn classifiers on small data sets.

Eighteen classifiers with their usual settings, among them a dummy and two nearly equal ones, on four of
scikit-learn's built-in data sets and on generated ones. For each of five trials a data set is drawn (or, if it is
built in, split) anew with the trial as the seed, half for training and half for testing; all classifiers see the same
split. The score is the accuracy on the test half. One row is one classifier on one data set in one trial: ``agent``,
``task``, ``trial``, ``score``.

Made with scikit-learn 1.9; other versions may move a score in the last digits.

Run: ``python examples/make_data/classifiers.py`` (about two minutes on one core).
"""

import warnings
from collections.abc import Callable, Iterator

import numpy as np
from csv_gz import write
from sklearn import datasets
from sklearn.base import ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

TRIALS = 5
ROWS = 300
Data = tuple[np.ndarray, np.ndarray]


def classifiers(seed: int) -> dict[str, ClassifierMixin]:
    """The agents."""
    return {
        "dummy": DummyClassifier(strategy="stratified", random_state=seed),
        "nearest-centroid": NearestCentroid(),
        "perceptron": Perceptron(random_state=seed),
        "ridge": RidgeClassifier(),
        "logistic": LogisticRegression(max_iter=500),
        "lda": LinearDiscriminantAnalysis(),
        "qda": QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
        "naive-bayes": GaussianNB(),
        "1-nn": KNeighborsClassifier(1),
        "15-nn": KNeighborsClassifier(15),
        "svm-linear": SVC(kernel="linear"),
        "svm-rbf": SVC(),
        "tree": DecisionTreeClassifier(random_state=seed),
        "forest": RandomForestClassifier(40, random_state=seed),
        "extra-trees": ExtraTreesClassifier(40, random_state=seed),
        "adaboost": AdaBoostClassifier(n_estimators=30, random_state=seed),
        "boosting": GradientBoostingClassifier(n_estimators=30, random_state=seed),
        "mlp": MLPClassifier((20,), max_iter=150, random_state=seed),
    }


def stripes(seed: int) -> Data:
    """Classes alternate along one of five features."""
    x = np.random.default_rng(seed).uniform(-1, 1, (ROWS, 5))
    return x, (np.floor(3 * x[:, 0]) % 2).astype(int)


def checkerboard(seed: int) -> Data:
    """A four by four checkerboard in two features."""
    x = np.random.default_rng(seed).uniform(-1, 1, (ROWS, 2))
    return x, (np.floor(2 * x).sum(axis=1) % 2).astype(int)


def parity(seed: int) -> Data:
    """The parity of three of eight bits."""
    x = np.random.default_rng(seed).integers(0, 2, (ROWS, 8))
    return x.astype(float), x[:, :3].sum(axis=1) % 2


def built_in(load: Callable[..., Data], most: int = 10**6) -> Callable[[int], Data]:
    """A built-in data set; of a large one, a random part."""

    def draw(seed: int) -> Data:
        x, y = load(return_X_y=True)
        keep = np.random.default_rng(seed).permutation(len(y))[:most]
        return x[keep], y[keep]

    return draw


def linear(seed: int, **options: float) -> Data:
    """scikit-learn's generator of classes, with 300 rows."""
    defaults: dict[str, float] = {"n_features": 12, "n_informative": 4, "n_redundant": 2}
    return datasets.make_classification(ROWS, random_state=seed, **(defaults | options))


TASKS: dict[str, Callable[[int], Data]] = {
    "iris": built_in(datasets.load_iris),
    "wine": built_in(datasets.load_wine),
    "breast-cancer": built_in(datasets.load_breast_cancer, 300),
    "digits": built_in(datasets.load_digits, 500),
    "moons": lambda seed: datasets.make_moons(ROWS, noise=0.25, random_state=seed),
    "circles": lambda seed: datasets.make_circles(ROWS, noise=0.15, factor=0.5, random_state=seed),
    "blobs": lambda seed: datasets.make_blobs(ROWS, centers=5, cluster_std=3.0, random_state=seed),
    "quantiles": lambda seed: datasets.make_gaussian_quantiles(n_samples=ROWS, n_features=6, random_state=seed),
    "hastie": lambda seed: datasets.make_hastie_10_2(ROWS, random_state=seed),
    "easy": lambda seed: linear(seed, class_sep=2.0),
    "mixed": linear,
    "noisy-labels": lambda seed: linear(seed, flip_y=0.3),
    "many-features": lambda seed: linear(seed, n_features=100),
    "four-classes": lambda seed: linear(seed, n_classes=4),
    "rare-class": lambda seed: linear(seed, weights=[0.9, 0.1]),
    "stripes": stripes,
    "checkerboard": checkerboard,
    "parity": parity,
}


def scores() -> Iterator[tuple[object, ...]]:
    """Every row."""
    for task, draw in TASKS.items():
        for trial in range(TRIALS):
            x, y = draw(trial)
            parts = train_test_split(x, y, test_size=0.5, random_state=trial, stratify=y)
            for agent, model in classifiers(trial).items():
                fitted = make_pipeline(StandardScaler(), model).fit(parts[0], parts[2])
                yield agent, task, trial, f"{fitted.score(parts[1], parts[3]):.4f}"


def main() -> None:
    """Write the file."""
    # A network or a perceptron that stops early is an agent like any other: its score is what counts here.
    warnings.simplefilter("ignore", ConvergenceWarning)
    # The corners of the digits are always white; nearest centroid says so each time.
    warnings.filterwarnings("ignore", message="self.within_class_std_dev_")
    write("classifiers", ["agent", "task", "trial", "score"], sorted(scores(), key=lambda row: (row[1], row[2])))


if __name__ == "__main__":
    main()
