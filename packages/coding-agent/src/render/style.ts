/** The style of conversations: in an exported page, and in the page of the server. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --text: #1c2128; --dim: #59626d; --line: #d4d9df; --soft: #f4f6f8; --mark: #0b5fcc; --bad: #b3261e; --good: #1a7036;
  --added: #d9f5e0; --removed: #fde7e5;
  --keyword: #a4236b; --string: #1b5e3a; --number: #0a55a5; --title: #5b3cc4; --type: #8a4b00;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101419; --text: #e3e8ee; --dim: #98a3af; --line: #343c46; --soft: #191f27; --mark: #6cb0ff; --bad: #ff8a80; --good: #6fd08c;
    --added: #14321f; --removed: #3c1d1e;
    --keyword: #f39ac4; --string: #9fd8b1; --number: #8ec5ff; --title: #c3adff; --type: #f0b673;
  }
}
body { font: 15px/1.55 system-ui, sans-serif; background: var(--ground); color: var(--text) }
h1 { font-size: 1.4rem; line-height: 1.3; overflow-wrap: anywhere }
a { color: var(--mark) }
article { padding: .55rem 0; overflow-wrap: anywhere; min-width: 0 }
article > h2, article > h3 { font-size: .85rem; line-height: 1.5; margin: 0 0 .3rem; color: var(--dim); font-weight: 600 }
article > h2 > time { font-weight: 400 }
article.user { background: var(--soft); border-left: 3px solid var(--mark); border-radius: 4px; padding: .55rem .8rem; margin: .8rem 0 }
article.user > pre { background: none; padding: 0; font: inherit; margin: 0 }
article.tool, article.error { border: 1px solid var(--line); border-radius: 6px; padding: .5rem .8rem; margin: .5rem 0 }
article.error { border-left: 3px solid var(--bad) }
.tool-name { color: var(--text) }
article.tool h2 code, article.tool h3 code, article.error h2 code, article.error h3 code { color: var(--text); font-weight: 400 }
.label { background: var(--soft); border: 1px solid var(--line); border-radius: 3px; padding: 0 .4em; font-weight: 400 }
.dim { color: var(--dim); font-weight: 400 }
p.dim { font-size: .8rem; margin: .2rem 0 }
.failure pre { border-left: 3px solid var(--bad); color: var(--bad) }
code, pre { font-family: var(--mono); font-size: 13px }
:not(pre) > code { background: var(--soft); border-radius: 3px; padding: .1em .3em }
pre { background: var(--soft); padding: .6rem .7rem; white-space: pre-wrap; overflow-wrap: anywhere; border-radius: 5px; margin: .4rem 0; line-height: 1.5 }
.prompt { color: var(--dim); user-select: none }
.diff ins, .diff del { text-decoration: none; display: inline-block; width: 100%; box-sizing: border-box }
.diff ins { background: var(--added) }
.diff del { background: var(--removed) }
.hunk { color: var(--dim) }
.markdown > :first-child { margin-top: 0 }
.markdown > :last-child { margin-bottom: 0 }
.markdown h1, .markdown h2, .markdown h3 { font-size: 1.1rem; line-height: 1.35; margin: 1.1rem 0 .4rem }
.markdown h1 { font-size: 1.25rem }
.markdown p, .markdown ul, .markdown ol { margin: .5rem 0 }
.markdown ul, .markdown ol { padding-left: 1.5rem }
.markdown blockquote { margin: .5rem 0; padding-left: .8rem; border-left: 3px solid var(--line); color: var(--dim) }
.markdown hr { border: 0; border-top: 1px solid var(--line) }
table { border-collapse: collapse; display: block; max-width: 100%; overflow-x: auto }
td, th { border: 1px solid var(--line); padding: .2em .6em }
img { max-width: 100%; height: auto; border-radius: 4px }
details { margin: .3rem 0 }
summary { cursor: pointer; color: var(--dim); font-size: .85rem; border-radius: 3px }
:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px }
.hljs-comment, .hljs-quote { color: var(--dim) }
.hljs-keyword, .hljs-literal, .hljs-selector-tag, .hljs-built_in { color: var(--keyword) }
.hljs-string, .hljs-attr, .hljs-addition, .hljs-regexp { color: var(--string) }
.hljs-number, .hljs-variable, .hljs-symbol { color: var(--number) }
.hljs-type, .hljs-meta, .hljs-attribute { color: var(--type) }
.hljs-title, .hljs-section, .hljs-name { color: var(--title) }
.hljs-deletion { color: var(--bad) }
`;
