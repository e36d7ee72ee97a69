export const HELP = `## Keys

| key | what it does |
| --- | --- |
| Enter | send; while the agent works: reaches it at the next step |
| Alt+Enter | while it works: wait until the turn is over |
| Ctrl+J, Shift+Enter, \\\\ Enter | a new line |
| Esc | interrupt; what you wrote and queued is kept |
| ↑ in an empty input | edit the newest queued message; then the history |
| Tab | the next agent |
| Shift+Tab | the next mode: ask, auto, plan |
| Ctrl+R | asides: show what the model is told beside your words |
| Ctrl+O | show calls in full |
| Ctrl+L | draw everything again |
| Ctrl+C | interrupt; twice: leave |
| Ctrl+D in an empty input | leave |

\`@\` completes files, folders and agents. A path to an image that is pasted or dropped is sent as the image.

## Commands`
