/**
 * Named entities that a tag or token could be written with, in lower case, and their code points. Spaces
 * and dashes are not among them: any other name is read as one.
 */
const NAMES: Readonly<Record<string, string>> = {
  "<": "lt,lang,langle,leftanglebracket,lsaquo,nvlt,ll,laquo",
  ">": "gt,rang,rangle,rightanglebracket,rsaquo,nvgt,gg,raquo",
  "[": "lsqb,lbrack,lobrk",
  "]": "rsqb,rbrack,robrk",
  "|": "vert,verbar,verticalline,mid,brvbar",
  "/": "sol,frasl",
  "\\": "bsol",
  ":": "colon",
  "-": "middot",
  "&": "amp",
  "%": "percnt",
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
