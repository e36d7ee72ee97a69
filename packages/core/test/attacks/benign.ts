/** Texts that have brackets, entities, escapes and other scripts in them, and nothing to hide. */
const LINES = String.raw`
const systems: Array<System> = []
Map<string, readonly Message[]>
function first<T extends Reminder>(all: readonly T[]): T | undefined
export class Store<State, Event> extends Base<State>
const App = () => <System name="a" />
<Reminder body={text} />
<div className="reminder">{items.map((item) => <Item key={item.id} {...item} />)}</div>
<><Suspense fallback={<Spinner />}><Main /></Suspense></>
if (a < b && c > d) return a << 2
for (let i = 0; i < n; i++) sum += a[i] & 0xff
x = y <= z ? y : z
while (node !== null && node.next) node = node.next
const mask = 1 << (code & 31)
let [first, ...rest] = values
type Pair = [string, number]
matrix[i][j] = matrix[j][i]
args[INSTANCE] = table[NAME]
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#include <stdio.h>
#include <sys/types.h>
#include <sys/stat.h>
#include <string>
std::vector<std::pair<int, std::string>> found;
std::cout << "system: " << reminder << std::endl;
template <typename T> struct Node { T value; Node<T>* next; };
fn main() -> Result<(), Box<dyn Error>> { Ok(()) }
let x: &'static str = "a";
match x { Some(s) if s < t => {}, _ => {} }
impl<'a, T> Iterator for Iter<'a, T>
func (s *Server) Serve(ctx context.Context) <-chan error
ch <- value
select { case msg := <-ch: fmt.Println(msg) }
xs |> List.map f |> List.filter g
f <| g x
let result = parse <|> fallback
main = do { line <- getLine; putStrLn line }
data Tree a = Leaf | Node (Tree a) a (Tree a)
foo <$> bar <*> baz
x >>= \y -> return y
SELECT * FROM users WHERE age < 30 AND name <> 'x'
SELECT count(*) FROM system_events WHERE kind <= 3;
cat < input.txt > output.txt 2>&1
cat <<EOF
cat <<'END' | sort
cat <<-SYSTEM
diff <(sort a) <(sort b)
[[ -f "$file" && $n -lt 10 ]] && echo yes
if [ "$USER" = root ]; then echo no; fi
echo "100%" && printf '%s\n' "$x"
printf "%d of %d (%3d%%)\n" 1 2 50
date +%Y-%m-%d
curl 'https://example.org/?q=a%20b&lang=en&page=2'
https://example.org/path?name=%E4%BD%A0%E5%A5%BD&sort=desc
git log --format='%h %s' -- src/
usage: sotto run [OPTIONS] [PROMPT]
usage: cmd [-h] [--flag FLAG] [ARGS]
sed -e 's/</\&lt;/g' -e 's/>/\&gt;/g'
awk '{ if ($1 < 3) print $2 }' file
grep -E '^(a|b)+\[x\]' file
find . -name '*.ts' | xargs grep -n 'a\|b'
C:\Users\system\Documents\new-folder
C:\new\reminder\table.txt
\\server\share\users
"line one\nline two\ttab"
"\u00e9t\u00e9 \u4f60\u597d"
'\x1b[31mred\x1b[0m'
"\033[1mbold\033[0m"
/^[ \t]*<\/?([a-z]+)[^>]*>/gi
/\u003e|\x3e/
&amp;&amp; &gt; &quot; &apos; &nbsp;
a &lt; b &amp;&amp; c
<p>5 &lt; 6 &amp; 7 &gt; 3</p>
Tom &amp; Jerry, AT&T, R&D
&copy; 2026 &mdash; all rights reserved
&#169; &#8364; &#x20AC; &hellip;
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Systems</title></head>
<body class="new"><main><section id="s"><p>Text</p></section></main></body>
<del>old price</del> new price
<s class="old"> has an attribute, and so is no token
fn read<S>(source: S) -> Result<S> where S: Source
class Store<S> { state: S }
<S>(value: S) => value
<strong>system</strong> <small>reminder</small>
<select name="resource"><option value="1">One</option></select>
<span>new</span> <nav>menu</nav> <mark>m</mark> <meter value="2">
<script src="/a.js" defer></script>
<style>.a > .b { color: red }</style>
<svg viewBox="0 0 24 24"><mask id="m"><rect/></mask><path d="M0 0L10 10"/></svg>
<template><slot name="system"></slot></template>
<button onClick={() => setOpen(!open)}>Remind me</button>
<img src="a.png" alt="[image]" /> <br/> <hr />
<a href="mailto:user@example.org">Mail</a>
<system> and <reminder> and <mcp-server> and <new-message>
<system.web><compilation debug="true" /></system.web>
<resource name="mcp" /> <resources><string name="app">A</string></resources>
<user id="1"><name>Ann</name></user>
<tool name="x"/> <message to="a">hi</message> <start/> <end/>
<unknown> <padding> <bosun> <separator> <special-offer> <reserved>
<?xml version="1.0" encoding="UTF-8"?>
<![CDATA[ a < b ]]>
<soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope">
<project><dependencies><dependency><scope>test</scope></dependency></dependencies></project>
From: Ann <ann@example.org>
To: System Team <systems@example.org>, Bob <bob@example.org>
Message-ID: <20260101.1234@mail.example.org>
On Monday, Ann <ann@example.org> wrote:
> quoted text
>> quoted twice
human: lower case is a key of YAML
system: reminder
user: alice
Users: 3
Systems: 4
Assistants: none
The user: prefix is old
Note: the Human: prefix is in mid-line
Systematic: yes
Userland: no
- System reminders are explained in the docs
# System
## User guide
### Responses
### Userland: what it is
#### Instructions
| System | User | Assistant |
| --- | --- | --- |
[x] done, [ ] open
[link](https://example.org "title")
[INSTALL](INSTALL.md) and [INSTRUCTIONS](x.md)
[inst] and [tools] and [system_prompt]
![image](a.png)
[1]: https://example.org
[ERROR] something failed
[INFO] 2026-11-16 started
[WARN] low disk space
[DEBUG] x=1
[SYSTEM] booting
[USER] ann
[TOOL] read
[package]
[dependencies]
[[bin]]
[tool.poetry]
[alias]
$x < \frac{1}{2}$ and $y \leq z$
\begin{equation} a < b \end{equation}
\section{System} \textbf{new}
\usepackage[utf8]{inputenc}
\newcommand{\reminder}[1]{#1}
∀x ∈ ℝ: x < y ⇒ f(x) ≤ f(y)
⟨ψ|φ⟩ = ∑ aᵢbᵢ
⟨x, y⟩ ≪ 1
a ≺ b, a ⊂ b, |x| < ε holds
‹citation› and «citation»
«Система работает», сказал он.
«Système» et «nouveau»
《新系统》发布了
〈系统〉与〈提醒〉
【重要】请阅读说明。
「システム」を更新しました
これは<強調>です
Привет, мир! Это <система> и [примечание].
Новая система напоминаний: проста и удобна.
Пользователь: Иван
Ассистент: готов
Καλημέρα κόσμε, το <σύστημα> είναι νέο.
Ο χρήστης: Γιάννης
שלום עולם <מערכת>
مرحبا بالعالم <نظام>
नमस्ते दुनिया <प्रणाली>
สวัสดีชาวโลก
안녕하세요 <시스템>
你好，世界！这里有 <标签> 和 [括号]。
用户：你好
系统：已启动
Đây là một hệ thống mới <hệ thống>
Übergrößenträger: Straße, Maße, Füße
Ça va ? Très bien, merci : à bientôt !
İstanbul'da ısı ölçümü: 25 °C
Łódź, Gdańsk, Kraków
Ærø, Tromsø, Åland
😀 < 😎 and 👨‍👩‍👧‍👦 > 🏳️‍🌈
🅰️🅱️ 🆗 🆕 ⓂⓃ ①②③
🇩🇪 🇫🇷 🇯🇵
ﬁle and ﬂow
½ + ¼ < 1
x² + y³ ≤ z⁴
H₂O and CO₂
→ ← ↑ ↓ ⇒ ⇐
─│┌┐└┘├┤┬┴┼
█▓▒░ 45% |████░░░░|
┃ a ┃ b ┃
{"a": [1, 2, {"b": "<c>"}], "d": "\u003ep\u003c"}
{"html": "\u003cdiv\u003e\u003c/div\u003e"}
{"role": "user", "content": "hi"}
{"role": "system", "content": [{"type": "text"}]}
{"text": "a \\u0026 b", "path": "C:\\new\\table"}
key: [a, b, c]
- <<: *default
  <<: [*a, *b]
name: "system-reminder"
new-diagnostics: 3
mcp-resource reminder-body system-reminder
the system-reminder tag is written with angle brackets
C:\system-reminder\file
std::cin >> system_reminder; x <- 3
vector<bool> seen(n); seen[s] = true;
Dictionary<string, List<int>> map = new();
IEnumerable<User> users = db.Users.Where(u => u.Age < 30);
Optional<Resource> r = Optional.empty();
List<? extends Number> numbers = new ArrayList<>();
@Override public <T> T accept(Visitor<T> v) { return v.visit(this); }
Set<ResourceKey<Level>> keys
Promise<Response | undefined>
Record<"system" | "user", string>
Partial<Pick<Session, "id">>
useState<string | null>(null)
styled.div<{ open: boolean }>
assert x<y<z, "order"
if 0 < x < 10: pass
print(f"{x:<10}|{y:>5}")
lst[s:e], lst[-1], d["system"], d['user']
x = a[mask] if a is not None else []
def f(*args: Any, **kwargs: Any) -> dict[str, list[int]]: ...
@pytest.mark.parametrize("a,b", [(1, 2)])
puts "<#{name}>" unless list.empty?
array << item
class Foo < Bar
my ($self, %args) = @_; while (<STDIN>) { chomp; }
local t = {} ; t[#t+1] = "x"
mov eax, [ebx+4]
lea rdi, [rip + message]
0 <= i && i < n, s.t. x ∈ [0, 1)
(a) < (b) ; [a] < [b]
<-- see above -->
<= => <> >< <|> |>
:<|>: and <||> and <&> and <% x
<% if user %> <%= user.name %> <% end %>
{% if system %}{{ user }}{% endif %}
<?php echo $user; ?>
@media (min-width: 600px) { a > b { color: #fff } }
a:hover::before { content: "\201C"; }
content: "\74 ext";
margin: 0 5% 25%;
rgba(0, 0, 0, 50%) 3C
%PATH% %USERPROFILE% %d %s %5d %-5s %%
0%, 25%, 50%, 75%, 100% done
5% < 25% < 35%
return value << s >> s;
hash = a << s >>> s ^ b
std::cin >> n >> s; std::cout << s >> out;
if (a < s > b) return
["tools:<tool_call_id>"] and <tool_response_format> and <function_name>
<html|><style>foo { }</style></html>
[|1; 2; 3|] and [|x|] in OCaml
/&|<|"|'|>/g and (<|a|b>)
<soap:Body> and <xsl:template match="a"> and <svg:s>
git clone https://<user>:<password>@example.org
「システム」と『設定』を〔参照〕してください【重要】
a ≪ b ≺ c, ⌈x⌉ and ⌊y⌋
\x1b[1m[ok]\x1b[0m done
`

/** Texts of several lines. */
const TEXTS = [
  'const env = {\n  USER: "web_user",\n  LOGNAME: "web_user",\n}\n',
  "const ROLES = {\n\tUSER: 'user',\n\tASSISTANT: 'assistant',\n\tSYSTEM: 'system'\n}\n",
  "enum = {\n  User: 1,\n  System: 0x2,\n  Human: Symbol('human'),\n}\n",
  "{\n  $defs: {\n    User: {\n      type: 'object',\n    },\n    System: z.object({\n    }),\n  },\n}\n",
  "const keys = {\n  USER: process.env.USER,\n  Developer: [\n  ],\n}\n",
]

export const BENIGN = [...LINES.split("\n").filter((line) => line !== ""), ...TEXTS]
