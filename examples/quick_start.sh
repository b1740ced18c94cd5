#!/bin/sh
# The quick start with curl alone: creates a game, watches it, plays some turns, and shows what happened.
# sh examples/quick_start.sh [URL [TURNS]]; without TURNS it plays to the end. Python 3 reads the JSON.
set -eu

URL=${1:-http://127.0.0.1:8080}
URL=${URL%/}
TURNS=${2:-0}

usage() {
  echo "Usage: sh examples/quick_start.sh [URL [TURNS]]; a URL begins with http:// or https://, TURNS is a number." >&2
  exit 2
}

case $URL in http://* | https://*) ;; *) usage ;; esac
case $TURNS in *[!0-9]* | ???????*) usage ;; esac

folder=$(mktemp -d)
watcher=
trap 'test -z "$watcher" || kill "$watcher" 2> /dev/null; rm -rf "$folder"' EXIT
cd "$folder"

# field FILE EXPRESSION: a member of a JSON document; fails if there is none.
field() { python3 -c "import json, sys; print(json.load(open(sys.argv[1], encoding='utf-8'))$2)" "$1" 2> /dev/null; }

# fetch FILE ARGUMENT...: a request, whose response is a file; a problem ends the script.
fetch() {
  file=$1
  shift
  if ! status=$(curl -s -w '%{http_code}' -o "$file" "$@"); then
    echo "$URL does not answer: start the service with \`make serve\`, or name its URL." >&2
    exit 1
  fi
  case $status in
  2??) ;;
  *)
    echo "$(field "$file" "['title']"): $(field "$file" "['detail']")" >&2
    exit 1
    ;;
  esac
}

fetch created.json "$URL/v1/games" -H 'Content-Type: application/json' \
  -d '{"players": [{"name": "Ana"}, {"bot": "greedy"}], "first_seat": 0}'
GAME="$URL/v1/games/$(field created.json "['game']['id']")"
TOKEN=$(field created.json "['seats'][0]['token']")
echo "Watch it: $URL/#$(field created.json "['game']['id']")"

curl -sN "$GAME/diffs?since=0" -H 'Accept: text/event-stream' > watched.txt &
watcher=$!

while
  fetch legal.json "$GAME/legal-moves?limit=1"
  MOVE=$(field legal.json "['moves'][0]['id']")
do
  fetch game.json "$GAME"
  test "$TURNS" -eq 0 || test "$(field game.json "['turn']['number']")" -le "$TURNS" || break
  echo "Ana: $(field legal.json "['moves'][0]['text']")"
  # The version makes a late or repeated request harmless; the key makes a retry safe.
  VERSION=$(field legal.json "['version']")
  fetch acted.json "$GAME/actions" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
    -H "If-Match: \"$VERSION\"" -H "Idempotency-Key: move-$VERSION" -d "{\"move\": \"$MOVE\"}"
done

fetch story.json "$GAME/story?since=0&limit=1000"
python3 -c 'import json; [print(line["text"]) for line in json.load(open("story.json"))["lines"][-5:]]'
field story.json "['now']"
fetch board.txt "$GAME/board.txt?side=1"
cat board.txt
fetch game.json "$GAME"
echo "Result: $(field game.json "['result']")"
sleep 1
echo "The watcher has seen $(grep -c '^data:' watched.txt) versions of $(field game.json "['version']")."
