"""One composition for each kind of question: it runs what fits and gives back results, without views or charts."""
