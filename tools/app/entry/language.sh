# shellcheck shell=bash disable=SC2034,SC2154  # the parts share variables
# Speaks the reader's language, as the program does: tools/terminal/language.h. To be sourced. It
# needs no newer bash than that of macOS.

texts=$root/tools/terminal/texts.zh.json

# choose_language WORD...   Sets `language` to en or zh: what --lang says, else LC_ALL, LC_MESSAGES
# or LANG.
choose_language() {
  local word last=""
  language=${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}
  for word; do
    case $word in --lang=*) language=${word#*=} ;; esac
    [ "$last" != --lang ] || language=$word
    last=$word
  done
  case $language in zh*) language=zh ;; *) language=en ;; esac
}

# text ENGLISH VALUE...   Prints it in the language, the values in the place of each {}.
text() {
  local said=$1 filled="" key value
  if [ "$language" = zh ]; then
    key=${1//\"/\\\"} key="  \"$key\": \""
    said=$(grep -F -m 1 -- "$key" "$texts") || said="$key$1\""
    said=${said#"$key"} said=${said%,} said=${said%\"}
    said=${said//\\\"/\"}
  fi
  shift
  for value; do
    filled+=${said%%"{}"*}$value said=${said#*"{}"}
  done
  printf '%s' "$filled$said"
}
