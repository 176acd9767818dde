# shellcheck shell=bash
# Sourced by scripts that consist of steps: names each, says at the end how long each took,
# and how much of that in processors (twice the time where two are kept busy), or which
# one failed.
step_name='' step_begin=0 step_cpu=0 step_times=()

step_processors() { # seconds of all commands that have ended
  local stat
  read -r -a stat </proc/$$/stat
  echo $(((stat[15] + stat[16]) / $(getconf CLK_TCK)))
}

step_end() {
  [ -z "$step_name" ] || step_times+=("$(printf '%5d s  %5d s  %s' $((SECONDS - step_begin)) $(($(step_processors) - step_cpu)) "$step_name")")
}

step() { # step NAME: begins a step
  step_end
  step_name=$1 step_begin=$SECONDS step_cpu=$(step_processors)
  printf '\n== %s\n' "$step_name"
}

steps_passed() { # steps_passed WHAT: after the last step
  step_end
  step_name=
  printf '\n%s: all steps passed in %d s\n' "$1" $SECONDS
  printf '%s\n' '   time     CPU' "${step_times[@]}"
}

trap '[ $? -eq 0 ] || printf "\n%s: failed in step: %s\n" "$0" "$step_name" >&2' EXIT
