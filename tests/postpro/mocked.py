"""Runs that a test makes itself, instead of programs."""


def make_runs_by(make):
    """A stand-in for run_folder.make_runs that calls make(job) for those that are not there."""

    def make_runs(jobs, ended=lambda job, failure: None):
        for job in jobs:
            if job.again or not job.there:
                make(job)
                ended(job, None)
        return {}

    return make_runs
