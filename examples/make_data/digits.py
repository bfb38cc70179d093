"""Make the bundled data set ``digits``: which classifier reads which handwritten digit.

Eighty classifiers (nine families, several settings, training sets of 10 to 1,200 images, some with spoilt labels, some
that see only part of the pixels, some that guess) read 400 test images of scikit-learn's digits. A wide table: the
column ``agent``, then one column for each image, named by its number in the data set and the digit it shows
(``i0007_7``), with 1 where the agent was right.

Made with scikit-learn 1.9; other versions may move a few answers.

Run: ``python examples/make_data/digits.py`` (under a minute on one core).
"""

import warnings
from collections.abc import Iterator

import numpy as np
from csv_gz import write
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

SEED = 2026
TEST = 400
SIZES = (10, 20, 40, 80, 150, 300, 600, 1200)
Entry = tuple[str, ClassifierMixin, int, float, slice]
ALL = slice(None)


def families() -> dict[str, ClassifierMixin]:
    """One model of each family; they are trained on every size."""
    return {
        "1-nn": KNeighborsClassifier(1),
        "logistic": LogisticRegression(max_iter=200),
        "svm-rbf": SVC(gamma=0.001, C=10.0),
        "tree": DecisionTreeClassifier(random_state=SEED),
        "forest": RandomForestClassifier(40, random_state=SEED),
        "naive-bayes": GaussianNB(var_smoothing=1e-2),
        "centroid": NearestCentroid(),
    }


def variants() -> dict[str, ClassifierMixin]:
    """Other settings, trained on 600 images."""
    found: dict[str, ClassifierMixin] = {
        f"tree-depth{depth}": DecisionTreeClassifier(max_depth=depth, random_state=SEED) for depth in (1, 3, 5)
    }
    found |= {f"{k}-nn": KNeighborsClassifier(k) for k in (5, 50, 200)}
    found |= {f"svm-gamma{gamma:g}": SVC(gamma=gamma) for gamma in (0.00001, 0.01)}
    found |= {f"mlp-{size}": MLPClassifier((size,), max_iter=60, random_state=SEED) for size in (2, 5, 20)}
    found |= {
        "ridge": RidgeClassifier(),
        "perceptron": Perceptron(random_state=SEED),
        "bernoulli": BernoulliNB(binarize=8.0),
    }
    return found | {"extra-trees": ExtraTreesClassifier(40, random_state=SEED)}


def entries() -> Iterator[Entry]:
    """Name, model, training images, share of spoilt labels, pixels it sees."""
    for name, model in families().items():
        for size in SIZES:
            yield f"{name}/{size}", model, size, 0.0, ALL
    for name, model in variants().items():
        yield f"{name}/600", model, 600, 0.0, ALL
    for share in (0.3, 0.6, 1.0):
        yield f"1-nn/600/spoilt{share:g}", KNeighborsClassifier(1), 600, share, ALL
    for name, pixels in (("top", slice(0, 32)), ("bottom", slice(32, 64)), ("middle", slice(24, 40))):
        yield f"svm-rbf/600/{name}", SVC(gamma=0.001, C=10.0), 600, 0.0, pixels
    yield "guess-one", DummyClassifier(strategy="most_frequent"), 600, 0.0, ALL
    for seed in (1, 2):
        yield f"guess-any-{seed}", DummyClassifier(strategy="uniform", random_state=seed), 600, 0.0, ALL


def spoilt(labels: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Replace a share of the labels by random ones."""
    wrong = rng.random(len(labels)) < share
    return np.where(wrong, rng.integers(0, 10, len(labels)), labels)


def main() -> None:
    """Write the file."""
    # Small networks may stop before they converge: weak agents are wanted.
    warnings.simplefilter("ignore", ConvergenceWarning)
    # The corners of the digits are always white; nearest centroid says so each time.
    warnings.filterwarnings("ignore", message="self.within_class_std_dev_")
    rng = np.random.default_rng(SEED)
    x, y = load_digits(return_X_y=True)
    order = rng.permutation(len(y))
    test, train = np.sort(order[:TEST]), order[TEST:]
    rows = []
    for name, model, size, share, pixels in entries():
        used = train[:size]
        model.fit(x[used][:, pixels], spoilt(y[used], share, rng))
        right = model.predict(x[test][:, pixels]) == y[test]
        rows.append([name, *right.astype(int)])
    write("digits", ["agent", *(f"i{image:04d}_{y[image]}" for image in test)], rows)


if __name__ == "__main__":
    main()
