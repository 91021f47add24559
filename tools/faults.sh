#!/usr/bin/env bash
# Runs the long forms of the tests of docs/reliability.md: tools/faults.sh WHAT [--OPTION N]
#
#   kills [--kills 200] [--seed N]   kill -9 at random moments of a run; a resume after each
#   half-hour [--seed N]             thirty minutes on two cores, with 20 kills and resumes
#   calls                            every call that changes a file fails, or is the last
#   workers                          a minute with 14 workers
#   hours [--hours 6]                memory, handles and threads every 30 seconds
#
# At the end of each no game number is there twice or missing, and the counters of the checkpoint and
# of the figures are those of the log. Uses the build in build/release (cmake --build --preset
# release --target tools_test); BUILD=FOLDER in the environment names another. Files are in memory
# (/dev/shm): `half-hour` and `hours` need some GiB. Exit code 0: all is well.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  sed -n 's/^#   /  tools\/faults.sh /p' "$0"
}
refuse() {
  echo "faults: $1; tools/faults.sh --help" >&2
  exit 2
}

what=${1-}
case "$what" in
  -h | --help)
    usage
    exit 0
    ;;
  kills | half-hour | calls | workers | hours) shift ;;
  *) refuse "name one of kills, half-hour, calls, workers, hours" ;;
esac
kills=200
hours=6
seed=$((1 + RANDOM))
while (($# > 0)); do
  (($# > 1)) && [[ $2 =~ ^[0-9]+$ ]] || refuse "$1 needs a number"
  case "$what $1" in
    "kills --kills") kills=$2 ;;
    "kills --seed" | "half-hour --seed") seed=$2 ;;
    "hours --hours") hours=$2 ;;
    *) refuse "unknown option \"$1\" of $what" ;;
  esac
  shift 2
done
tests=${BUILD-build/release}/tests/tools/tools_test
[[ -x $tests ]] || refuse "$tests is missing: cmake --build --preset release --target tools_test"

# check TESTS [COMMAND...]: runs the tests, which COMMAND starts.
check() {
  local filter=$1
  shift
  "$tests" --gtest_filter="$filter" --gtest_list_tests | grep '^  ' >/dev/null ||
    refuse "$tests has no test $filter"
  "$@" "$tests" --gtest_filter="$filter"
}

began=$SECONDS
status=0
killed=SelfPlayCommand.SurvivesBeingKilledAtAnyMoment
case "$what" in
  kills)
    echo "faults: $kills kills, seed $seed"
    SENET_KILLS=$kills SENET_SEED=$seed check "$killed" || status=$?
    ;;
  half-hour)
    # From a start to its kill it is 90 seconds on average.
    echo "faults: 20 kills in about 30 minutes, seed $seed"
    SENET_KILLS=20 SENET_SECONDS_TO_KILL=180 SENET_SEED=$seed check "$killed" taskset -c 0,1 || status=$?
    ;;
  calls) SENET_FAULTS=1 check 'DiskFaults.EveryCall*' || status=$? ;;
  workers) SENET_SECONDS=60 check LongRun.FourteenWorkersLoseNoGame || status=$? ;;
  hours) SENET_SECONDS=$((hours * 3600)) check LongRun.MemoryHandlesAndThreadsStayAsTheyAre || status=$? ;;
esac
verdict=passed
((status == 0)) || verdict=FAILED
echo "faults: $what $verdict after $((SECONDS - began)) s"
exit "$status"
