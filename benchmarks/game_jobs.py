"""Games: maximum-entropy Nash, alpha-Rank, and learning a response graph."""

from benchmarks import alpha_rank_jobs, nash_jobs, response_graph_jobs

__all__ = ["JOBS"]

JOBS = (*nash_jobs.JOBS, *alpha_rank_jobs.JOBS, *response_graph_jobs.JOBS)
