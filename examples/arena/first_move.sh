#!/bin/sh
# A bot in POSIX shell: it plays the first legal move. Messages come one a line, without spaces between their parts, and
# with "type" first; a question goes on with "legal". Whatever else it is told it does not need to know.
while IFS= read -r line; do
    case $line in
        '{"type":"hello"'*) echo '{"ready": true}' ;;
        '{"type":"act"'*)
            rest=${line#'{"type":"act","legal":['}
            echo "{\"move\": ${rest%%[],]*}}"
            ;;
        '{"type":"quit"'*) exit 0 ;;
    esac
done
