/**
 * Variables with a meaning to bash: it computes with what is assigned to some of them, and others decide how later
 * words are read.
 */
const bash =
  /^(BASH.*|COMP_.*|COMPREPLY|COPROC|DIRSTACK|EPOCH.*|EUID|UID|PPID|FCEDIT|FIGNORE|FUNCNAME|FUNCNEST|GROUPS|HIST.*|HOSTFILE|HOSTNAME|HOSTTYPE|IGNOREEOF|INPUTRC|INSIDE_EMACS|EMACS|LINENO|MACHTYPE|OSTYPE|MAPFILE|MAILCHECK|MAILPATH|OPTARG|OPTERR|OPTIND|PIPESTATUS|PROMPT_.*|PS\d|RANDOM|SRANDOM|READLINE_.*|REPLY|SECONDS|SHELL.*|SHLVL|TIMEFORMAT|TMOUT|CHILD_MAX|COLUMNS|LINES|_|auto_resume|histchars)$/

/** Variables that shells, loaders or tools obey. Setting one changes what later commands do. */
const obeyed =
  /^(PATH|IFS|HOME|CDPATH|ENV|GLOBIGNORE|EXECIGNORE|POSIXLY_CORRECT|TMPDIR|TMP|TEMP|PWD|OLDPWD|MAGIC|EDITOR|VISUAL|BROWSER|MAIL|TERMINFO.*|TERMCAP|GZIP|ZIPINFO|UNZIP|NLSPATH|LOCPATH|GCONV_PATH|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS|TEXTDOMAIN.*|TZDIR|LS_.*|DISPLAY|.*PAGER|.*_PROXY|.*_proxy|.*(OPTIONS|_OPTS|FLAGS|_CONFIG.*|_HOME|_OPT|_PATH|_DIR|_PRELOAD)|(LD|DYLD|GIT|LESS|MAN|NODE|NPM|npm|PYTHON|PERL|RUBY|JAVA|AWK|GREP|RIPGREP|RG|FD|FZF|XDG|SSH|JQ|MALLOC|OPENSSL|GIO|CARGO|RUST|GO|TAR|DIFF|SYSTEMD|GLIBC)(_.*|[A-Z].*)?)$/

/** Variables that are passed on to a command and known to change nothing but its appearance. */
const passable =
  /^(LC_[A-Z]+|LANG|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|TERM|CI|GIT_PAGER_IN_USE)$/

/** True for a shell variable that only the script itself looks at. */
export function mayBeSet(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !obeyed.test(name) && !bash.test(name)
}

/** True for a variable that may stand in the environment of a program. */
export function mayBePassed(name: string): boolean {
  return passable.test(name) || (/^[a-z][a-z0-9_]*$/.test(name) && mayBeSet(name))
}
