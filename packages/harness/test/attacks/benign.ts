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
