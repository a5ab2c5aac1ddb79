"""One run of a campaign, or its table and report at the end, for machines elsewhere: task.py FOLDER RUN|collect.
Whoever distributes the runs (Slurm, GNU parallel) calls it; a run that is there is not made again, and one that was
stopped goes on."""
import sys
from pathlib import Path

from campaign import Campaign
from frames import fail
from run_folder import make_runs


def main():
    folder, which = Path(sys.argv[1]), sys.argv[2]
    campaign = Campaign.read(folder)
    if which == "collect":
        from sweep import conclude
        sys.exit(conclude(campaign))
    if which not in campaign.names:
        fail(f"there is no run {which} in the plan of {folder}.")
    failed = make_runs([campaign.jobs[campaign.names.index(which)]])
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
