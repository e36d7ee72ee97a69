// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are shell's

/** What agents run all day to look around. All of it has to be recognised as reading. */
export const BENIGN: readonly string[] = `
ls
ls -la
ls -la src
ls -R src
ls src/*.ts
ls -1 | head -20
ls -lt | head
ls -d */
pwd
pwd && ls -la
cat a
cat a b
cat -n src/a.ts
cat src/a.ts | head -50
cat package.json
cat package.json | jq .name
cat a 2>/dev/null
cat a 2>/dev/null || echo missing
cat < a
head a
head -n 5 a
head -5 a
head -c 100 a
tail a
tail -n 20 a
tail -n +2 a
tail -20 a
wc a
wc -l a
wc -l a b
wc -l src/*.ts
cat a | wc -l
nl a
nl -ba src/a.ts
sed -n 1,5p a
sed -n '1,20p' a
sed -n '10,$p' a
sed -n '/one/,/two/p' a
sed 's/one/1/' a
sed 's/a/b/g; s/c/d/' a
sed -E 's/(o)/x/' a
sed '/^$/d' a
sed -e 's/a/b/' -e 's/c/d/' a
awk '{print $1}' a.txt
awk -F: '{print $1}' a
awk 'NR==1' a
awk 'NR>=1 && NR<=3' a
awk '{s+=length($0)} END {print s}' a
awk '/one/ {print NR": "$0}' a
cut -d' ' -f1 a.txt
cut -c1-10 a
sort a
sort -u a
sort a | uniq
sort a | uniq -c | sort -rn | head
sort -k2 a.txt
sort -t: -k1,1 a
uniq -c a
tr a-z A-Z < a
cat a | tr -d '\\n'
rev a
tac a
paste a b
comm -12 a b
diff a b
diff -u a b
diff -r src src
cmp a b
grep one a
grep -n one a
grep -rn TODO src
grep -rn TODO src --include=*.ts
grep -rn "export const" src
grep -i ONE a
grep -c one a
grep -v one a
grep -l one a b
grep -E 'one|two' a
grep -A2 -B2 one a
grep -o 'o.' a
grep -w one a
grep -q one a && echo found
grep -rl TODO src | head
grep -rn TODO src | wc -l
grep -n "function" src/a.ts || true
egrep 'one|two' a
rg TODO
rg -n TODO src
rg -l TODO
rg --files
rg --files src
rg -i todo src
rg -t ts TODO
rg -g '*.ts' TODO
rg -n 'a|b' src
rg -C 3 TODO src
rg --hidden -n KEY
rg -e one -e two a
rg "export (const|function)" src
find . -name '*.ts'
find . -type f
find . -type f -name '*.ts' -not -path './node_modules/*'
find . -maxdepth 2 -type d
find src -name '*.ts' | head -20
find . -type f | wc -l
find . -name '*.ts' -newer a
find . -size +1k
find . -path ./node_modules -prune -o -name '*.ts' -print
find . \\( -name '*.ts' -o -name '*.js' \\) -print
find . -iname 'readme*.md'
find src -type f | sort
find src -name '*.ts' | xargs wc -l
find src -name '*.ts' -print0 | xargs -0 grep -l TODO
git status
git status -s
git status --short
git status --porcelain
git status --short --branch
git log
git log --oneline
git log --oneline -5
git log --oneline -n 10
git log -5 --stat
git log -p -1
git log --all --oneline --graph
git log --oneline --decorate
git log -1 --format=%H
git log --format='%h %an %s' -5
git log --since=2.weeks --oneline
git log --author=t --oneline
git log --follow -- a
git log -S one --oneline
git log main..HEAD --oneline
git diff
git diff HEAD
git diff --stat
git diff --name-only
git diff --name-status HEAD
git diff --cached
git diff --staged
git diff HEAD -- b
git diff -U10 b
git diff main
git diff HEAD~0..HEAD
git diff --no-color
git show
git show HEAD
git show HEAD --stat
git show HEAD:a
git show --name-only HEAD
git show -s --format=%B HEAD
git branch
git branch -a
git branch -vv
git branch --show-current
git branch --list
git tag
git tag -l
git remote -v
git remote
git stash list
git rev-parse HEAD
git rev-parse --abbrev-ref HEAD
git rev-parse --show-toplevel
git rev-parse --short HEAD
git ls-files
git ls-files src
git ls-files | wc -l
git ls-files --others --exclude-standard
git ls-tree -r HEAD --name-only
git blame a
git blame -L 1,2 a
git config --get user.name
git config --list
git config --get-regexp user
git describe --tags --always
git merge-base HEAD main
git shortlog -sn HEAD
git reflog
git reflog -5
git grep -n one
git cat-file -p HEAD
git cat-file -t HEAD
git for-each-ref --sort=-committerdate --format='%(refname)' refs/heads
git rev-list --count HEAD
git worktree list
git --no-pager log --oneline -3
git --no-pager diff
git -C . status
git check-ignore -v a
git count-objects -vH
jq . data.json
jq '.list | length' data.json
jq -r .name data.json
jq -r '.list[]' data.json
echo hello
echo "hello world"
echo "$HOME"
echo $PATH
printf '%s\\n' a b
date
date +%Y-%m-%d
date -u +%s
whoami
uname -a
hostname
id
env
printenv PATH
which node
which git bash
command -v node
type ls
node --version
node -v
npm --version
python3 --version
git --version
bash --version
stat a
stat -c %s a
file a
du -sh .
du -sh src a
df -h
readlink link
readlink -f link
realpath a
basename src/a.ts
dirname src/a.ts
md5sum a
sha256sum a b
base64 a
xxd a
xxd -l 16 a
od -c a | head
hexdump -C a
strings a
column -t a.txt
test -f a && echo yes
test -d src || echo no
[ -f a ] && cat a
[ -d src ] && ls src
[[ -f a ]] && echo yes
if [ -f a ]; then cat a; fi
for f in a b; do echo "$f"; cat "$f"; done
for f in src/*.ts; do wc -l "$f"; done
for i in 1 2 3; do echo $i; done
cd src && ls
cd src && cat a.ts
cd src; ls; cd ..
(cd src && ls)
ls && echo --- && cat a
ls; echo; git status
true
seq 1 5
sleep 0
timeout 5 ls
time ls
nproc
uptime
tree -L 2
ls | grep ts
ls -la | awk '{print $9}'
ps aux | head
cat a | sort | uniq -c
echo $((1 + 2))
x=$(git rev-parse HEAD); echo "$x"
bash -c 'ls -la'
ls >/dev/null 2>&1 && echo ok
cat a b 2>&1 | head -3
tar -tzf x.tgz
unzip -l x.zip
set -e; ls
ls \\\\
diff <(sort a) <(sort b)`
  .trim()
  .split("\n")
  .map((line) => (line.endsWith("\\\\") ? `${line.slice(0, -1)}\n  -la` : line))

/** A command that agents run every day to look, and how the judge takes it where no sandbox is asked for. */
export interface Everyday {
  readonly command: string
  /** "confinable": it runs code of the workspace, and so runs unasked only in a sandbox. */
  readonly build: "read" | "confinable"
  /** Also used to look around before a plan is made. */
  readonly plan: boolean
}

const everyday = (build: Everyday["build"], plan: boolean, list: string): readonly Everyday[] =>
  list
    .trim()
    .split("\n")
    .map((command) => ({ command, build, plan }))

/** All of it must run unasked: what reads everywhere, the rest in a sandbox. */
export const EVERYDAY: readonly Everyday[] = [
  ...everyday(
    "read",
    true,
    `
pwd && ls -la && git status --short
ls -la src && head -50 package.json
find . -name '*.ts' -not -path './node_modules/*' | head -50
find . -maxdepth 2 -type d -not -path '*/.git*' | sort
find src -type f -name '*.ts' | xargs wc -l | sort -rn | head
cat package.json | jq '.scripts'
jq -r '.name + "@" + .version' package.json
jq --arg name x '.name == $name' data.json
rg -n "export (const|function)" src | head -30
rg -n --hidden -g '!.git' TODO | wc -l
rg --files -g '*.ts' | sort | head -100
grep -rn "export const" src --include=*.ts | head
grep -rnE 'TODO|FIXME' --exclude-dir=node_modules --exclude-dir=.git src
grep -c . a b 2>/dev/null
git log --oneline -10 && git status --short
git log --since=2.weeks --format='%h %an %s' | head -20
git log -p -1 --stat
git diff --stat HEAD && git diff HEAD -- src
git show HEAD --stat --format=fuller
git blame -L 1,1 a
git branch -a && git remote -v
git ls-files | awk -F. '{print $NF}' | sort | uniq -c | sort -rn
git rev-parse --abbrev-ref HEAD
sed -n '1,80p' README.md
sed -n '/export/p' src/a.ts | head -20
awk 'NR>=1 && NR<=40' README.md
awk '{s+=$1} END {print s}' a.txt
head -n 20 a b
tail -n 20 a.txt
wc -l *.md
wc -l src/*.ts | tail -1
diff -u a b | head -40
diff <(sort a) <(sort b) || true
sort -t: -k1,1 -u a
cut -d: -f1 a | sort | uniq -c
for f in src/*.ts; do echo "== $f"; head -5 "$f"; done
[ -f package.json ] && echo node || echo other
test -d node_modules && ls node_modules | wc -l
if [ -f README.md ]; then head -3 README.md; fi
cd src && ls -la && cd ..
du -sh src .git 2>/dev/null
stat -c '%s %n' a b
file a data.json
node --version && npm --version
python3 --version 2>&1
which node git rg
command -v jq >/dev/null && echo yes
date '+%Y-%m-%d %H:%M' && uname -a
ls -lt | head -5 | awk '{print $9}'
tr -s ' ' '\\n' < a.txt | sort | uniq -c | sort -rn | head
base64 a | head -c 100
sha256sum package.json
timeout 10 grep -rn TODO src
nl -ba src/a.ts | sed -n '1,10p'
cat a.txt | column -t
printf '%s\\n' src/*.ts | head
env | grep -c PATH
basename "$PWD"; dirname src/a.ts
ps aux | head -5
xxd -l 32 a`,
  ),
  ...everyday(
    "confinable",
    true,
    `
npm ls
npm ls --depth=0
npm ls --all --json | jq '.dependencies | keys'
npm run
npm pkg get scripts
npm explain typescript
npm why typescript
pnpm ls --depth 0
pnpm why typescript
yarn why typescript
npm root && npm prefix
cargo tree --depth 1 --offline
cargo metadata --format-version 1 --no-deps --offline
go list ./...
go env GOPATH GOMOD
go version
go doc fmt.Println
rustc -vV
cargo --version
pip list
pip show requests
pip3 freeze
python3 -m json.tool data.json
make -n
cloc src --quiet
tokei src
terraform version
dotnet --info
mvn -v`,
  ),
  ...everyday(
    "confinable",
    false,
    `
tsc --noEmit
tsc --noEmit -p tsconfig.json 2>&1 | head -50
npx tsc --noEmit
npx tsc --noEmit --pretty false | grep -c error || true
npx --no-install tsc --noEmit -p .
node --check src/a.js
eslint .
npx eslint src --ext .ts,.tsx --max-warnings 0
eslint src/a.ts --format json 2>/dev/null | jq length
biome check src
npx biome lint --max-diagnostics=50 src
npx @biomejs/biome check .
prettier --check .
npx prettier -c "src/**/*.ts"
prettier -l src
cargo check --offline
cargo check --workspace --all-targets --locked
cargo clippy --offline -- -D warnings
cargo clippy --all-targets -- -W clippy::all
go vet ./...
gofmt -l .
gofmt -d src
ruff check .
ruff check src --select E,F --output-format concise
ruff format --check .
mypy --strict src
pyright -p .
npx pyright src
terraform fmt -check -recursive
shellcheck run
hadolint Dockerfile
yamllint .
cd src && npx tsc --noEmit && cd ..
timeout 120 npx tsc --noEmit
objdump -d run | head
readelf -a run >/dev/null
nm -C run | sort | head
ldd run
size run`,
  ),
]
