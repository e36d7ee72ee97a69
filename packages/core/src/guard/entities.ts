/** Named entities that a tag or token could be written with, in lower case, and their code points. */
const NAMES: Readonly<Record<string, string>> = {
  "<": "lt,lang,langle,leftanglebracket,lsaquo,nvlt,ll,laquo",
  ">": "gt,rang,rangle,rightanglebracket,rsaquo,nvgt,gg,raquo",
  "[": "lsqb,lbrack,lobrk",
  "]": "rsqb,rbrack,robrk",
  "|": "vert,verbar,verticalline,mid,brvbar",
  "/": "sol,frasl",
  "\\": "bsol",
  "-": "hyphen,dash,lowbar,underbar,ndash,mdash,horbar,minus,middot,centerdot,bull",
  ":": "colon",
  "&": "amp",
  "%": "percnt",
  " ": [
    "nbsp,shy,zwnj,zwj,lrm,rlm,zerowidthspace,nobreak,tab,newline,ensp,emsp,emsp13,emsp14,numsp,puncsp,thinsp,hairsp",
    "mediumspace,thinspace,verythinspace,nonbreakingspace,invisibletimes,invisiblecomma,it,ic,af,applyfunction",
  ].join(),
  i: "imath,inodot",
}

/** Endings of entities that are named after a letter: "eacute", "sscr", "sfr", "sopf". */
const ON_LETTERS =
  "scr,fr,opf,acute,grave,uml,circ,tilde,cedil,caron,breve,macr,ring,dot,ogon,strok,dblac".split(",")

export const ENTITIES: ReadonlyMap<string, number> = new Map([
  ...[..."abcdefghijklmnopqrstuvwxyz"].flatMap((c) =>
    ON_LETTERS.map((ending) => [c + ending, c.charCodeAt(0)] as const),
  ),
  ...Object.entries(NAMES).flatMap(([c, names]) =>
    names.split(",").map((name) => [name, c.charCodeAt(0)] as const),
  ),
])

/** The beginnings of their names. */
export const ENTITY_STARTS: ReadonlySet<string> = new Set(
  [...ENTITIES.keys()].flatMap((name) => Array.from(name, (_, i) => name.slice(0, i + 1))),
)
