# Headers as Doxygen reads them: plain comments above declarations and behind them become documentation. Text that
# stands apart, further in than the rest, is a table or a formula and stays as it is.
function shown(text) { gsub(/[\\@<>#%&$"]/, "\\\\&", text); return text }
function leave() { if (verbatim) { print "/// \\endverbatim"; verbatim = 0 } }
FNR == 1 { print "/// \\file" }
/^ *\/\/( |$)/ {
    text = $0
    sub(/^ *\/\/ ?/, "", text)
    if (text ~ /^   *[^ ]/) {
        if (!verbatim) { print "/// \\verbatim"; verbatim = 1 }
        print "/// " text
    } else if (text == "" && verbatim) print "///"
    else { leave(); print "/// " shown(text) }
    next
}
{ leave() }
/^#/ { print; next }
match($0, / \/\/ /) && $0 !~ /^ *[{}]/ && substr($0, 1, RSTART) ~ /[;,}] *$|^ *[A-Za-z_0-9]+( = [^ ]+)? *$/ {
    print substr($0, 1, RSTART) "///< " shown(substr($0, RSTART + 4))
    next
}
{ print }
