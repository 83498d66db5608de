#!/bin/sh
# sqlite.sh: how fast the SQLite extension of a model is, in the program sqlite3: the first call, vectors of the lines
# of a file, a search over texts and one over vectors. Checks no result.
#
#     sh bench/bindings/sqlite.sh out/lib/sqlite_NAME.so WEIGHTS LINES.txt [ROWS]     ROWS: of the search [100000]
set -eu

extension=$(realpath "${1%.so}.so") weights=$2 lines=$3 rows=${4:-100000}
name=$(basename "$extension" .so) name=${name#sqlite_}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# sqlite.sh's own table: the lines that are not blank.
awk 'NF { gsub(/\047/, "\047\047"); print "INSERT INTO t(body) VALUES (\047" $0 "\047);" }' "$lines" \
    >"$folder/lines.sql"
count=$(wc -l <"$folder/lines.sql")

# The timer prints the seconds of a statement: those of the CPU are taken, as one thread does all. No statement prints.
sqlite3 -batch "$folder/bench.db" <<EOF |
.load $extension
CREATE TABLE t(body, v);
BEGIN;
.read $folder/lines.sql
COMMIT;
.timer on
SELECT NULL WHERE length(${name}_load('$weights')) = 0;
SELECT NULL WHERE length($name('a cat')) = 0;
UPDATE t SET v = $name(body);
SELECT NULL WHERE (SELECT count(*) FROM ${name}_nearest('t', 'body', 'a cat', 10)) = 0;
.timer off
CREATE TABLE many(v);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $rows)
    INSERT INTO many SELECT t.v FROM n CROSS JOIN t ON t.rowid = 1 + i % $count;
.timer on
SELECT NULL WHERE (SELECT count(*) FROM ${name}_nearest('many', 'v', 'a cat', 10)) = 0;
EOF
    awk -v lines="$count" -v rows="$rows" '
        /^Run Time: real/ { seconds[++n] = $6 + $8 > 0 ? $6 + $8 : 1e-6 }
        END {
            if (n != 5) { print "sqlite.sh: sqlite3 gave " n " times; expected 5"; exit 1 }
            printf "load the weights            %8.1f ms\n", 1e3 * seconds[1]
            printf "the first vector            %8.1f ms\n", 1e3 * seconds[2]
            printf "vectors of %d lines        %8.0f rows a second\n", lines, lines / seconds[3]
            printf "search %d lines as texts   %8.0f rows a second\n", lines, lines / seconds[4]
            printf "search %d vectors       %8.0f rows a second\n", rows, rows / seconds[5]
        }'
