"""The style of the page: light and dark by what the reader's system says."""

STYLE = """
:root { color-scheme: light dark; --bg: #fff; --fg: #1f2328; --soft: #59636e; --line: #d1d9e0;
  --head: #f6f8fa; --del: #ffebe9; --del2: #ffc0c0; --ins: #dafbe1; --ins2: #9be9a8; --none: #f6f8fa;
  --minus: #b3261e; --plus: #116329; --warn: #9a6700; --k: #a0111f; --s: #0a3069; --c: #59636e;
  --n: #0550ae; --t: #6639ba; --link: #0550ae; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #0d1117; --fg: #e6edf3; --soft: #9198a1; --line: #3d444d; --head: #151b23;
    --del: #3c1a1d; --del2: #8b2c2f; --ins: #12301f; --ins2: #1f6f38; --none: #151b23; --minus: #ff8b83;
    --plus: #57d364; --warn: #e3b341; --k: #ff7b72; --s: #a5d6ff; --c: #9198a1; --n: #79c0ff;
    --t: #d2a8ff; --link: #79c0ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 110rem; background: var(--bg); color: var(--fg);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font: 600 1.3rem/1.4 ui-monospace, monospace; overflow-wrap: anywhere; margin: 0 0 .5rem; }
h2 { font-size: 1rem; margin: 1rem 0 .5rem; }
p { margin: .3rem 0; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
code { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; background: var(--bg); padding: .5rem; }
.plus { color: var(--plus); } .minus { color: var(--minus); }
.warn { color: var(--warn); font-weight: 600; }
.flag { border: 1px solid var(--warn); color: var(--warn); border-radius: .3rem; padding: 0 .3rem; }
.list { border-collapse: collapse; margin: .5rem 0; }
.list th, .list td { text-align: left; padding: .15rem .8rem .15rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
nav { max-height: 40vh; overflow: auto; margin: .8rem 0; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: 1rem 0; }
summary { padding: .4rem .8rem; background: var(--head); cursor: pointer; position: sticky; top: 0;
  border-bottom: 1px solid var(--line); }
summary h2 { display: inline; font: 600 .95rem ui-monospace, monospace; overflow-wrap: anywhere; }
.diff { border-collapse: collapse; width: 100%; table-layout: fixed; }
.diff col.num { width: 4.6rem; }
.diff td { vertical-align: top; padding: 0 .5rem; font: 13px/21px ui-monospace, Menlo, Consolas, monospace; }
.diff code { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; }
.diff td.num { color: var(--soft); text-align: right; user-select: none; font-size: 12px;
  border-right: 1px solid var(--line); }
.diff td:nth-child(3) { border-left: 1px solid var(--line); }
.hunk th { background: var(--head); color: var(--soft); font: 12px/1.8 system-ui, sans-serif;
  text-align: left; padding: .1rem .8rem; border-top: 1px solid var(--line); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
td.del { background: var(--del); } td.ins { background: var(--ins); } td.none { background: var(--none); }
del, ins { text-decoration: none; border-radius: .15rem; }
del { background: var(--del2); } ins { background: var(--ins2); }
.k { color: var(--k); } .s { color: var(--s); } .c { color: var(--c); } .n { color: var(--n); }
.t { color: var(--t); }
.odd { border: 1px solid var(--minus); color: var(--minus); font-size: 11px; }
:target { scroll-margin-top: 3rem; outline: 2px solid var(--link); }
@media (max-width: 50rem) { body { padding: .5rem; } .diff col.num { width: 2.6rem; }
  .diff td.num span { display: none; } }
@media print { nav { max-height: none; } summary { position: static; } }
"""
