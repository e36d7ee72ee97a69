/** Variables that shells, loaders or tools obey. Setting one changes what later commands do. */
const obeyed =
  /^(PATH|IFS|HOME|CDPATH|ENV|SHELL|SHELLOPTS|BASHOPTS|GLOBIGNORE|EXECIGNORE|POSIXLY_CORRECT|TMPDIR|PS\d|PROMPT_COMMAND|PWD|OLDPWD|OPTARG|OPTIND|MAGIC|EDITOR|VISUAL|BROWSER|MAIL|TERMINFO.*|TERMCAP|GZIP|NLSPATH|LOCPATH|GCONV_PATH|HOSTALIASES|.*PAGER|.*(OPTIONS|_OPTS|FLAGS|_CONFIG.*|_HOME|_OPT)|(LD|DYLD|GIT|BASH|LESS|MAN|NODE|NPM|npm|PYTHON|PERL|RUBY|JAVA|AWK|GREP|RIPGREP|RG|XDG|SSH|JQ|MALLOC|OPENSSL|GIO|CARGO|RUST|GO)(_.*|[A-Z].*)?)$/

/** Variables that are passed on to a command and known to change nothing but its appearance. */
const passable =
  /^([a-z][a-z0-9_]*|LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|TERM|CI|GIT_PAGER_IN_USE|GIT_OPTIONAL_LOCKS)$/

/** A shell variable that only the script itself looks at. */
export function mayBeSet(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !obeyed.test(name)
}

/** A variable in the environment of a program. */
export function mayBePassed(name: string): boolean {
  return passable.test(name) && (!obeyed.test(name) || name.startsWith("GIT_"))
}
