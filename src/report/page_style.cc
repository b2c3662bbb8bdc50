#include "report/chart.h"
#include "report/page_parts.h"

namespace nearkin::page {
namespace {

// One column, calm colours, system fonts. Every text has a contrast of 4.5 or more on its ground in both themes. What is shared is tinted
// and underlined, what is chosen is filled and outlined: colour is never the only sign.
constexpr std::string_view kColours = R"css(
:root{color-scheme:light dark;
--paper:#fff;--panel:#f5f6f7;--ink:#1a1e22;--soft:#59606a;--line:#dfe2e5;--link:#005f99;
--mark:#d8efe6;--under:#0a7a5a;--bar:#87909a;--shared:#0a7a5a;--bar-in:#0072b2;--curve:#b84a00;--promise:#59606a;--note:#fff4e0;--note-line:#b86e00}
@media screen and (prefers-color-scheme:dark){:root{
--paper:#15181c;--panel:#1d2126;--ink:#e8ebee;--soft:#a6adb5;--line:#31373e;--link:#74b8f2;
--mark:#143f33;--under:#2fc79c;--bar:#6b7580;--shared:#2a9d7d;--bar-in:#4c9fe6;--curve:#ff9257;--promise:#a6adb5;--note:#332710;--note-line:#d99a2b}}
)css";

constexpr std::string_view kText = R"css(
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:16px}
body{margin:0;color:var(--ink);background:var(--paper);
font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,"DejaVu Sans",sans-serif}
header,nav,main,footer{max-width:888px;margin:0 auto;padding:0 24px}
header{padding-top:56px}
footer{margin-top:72px;padding-top:20px;padding-bottom:48px;color:var(--soft);font-size:14px}
h1{font-size:34px;line-height:1.2;letter-spacing:-.015em;margin:0 0 16px;overflow-wrap:anywhere}
h2{font-size:23px;line-height:1.3;letter-spacing:-.01em;margin:64px 0 16px;padding-top:20px;border-top:1px solid var(--line)}
h3{font-size:17px;line-height:1.4;margin:36px 0 10px}
p,ul,ol,dl{margin:0 0 14px}
p{max-width:70ch}
.command{margin:0 0 8px;color:var(--soft);font-weight:600}
.lead{font-size:19px;line-height:1.55;overflow-wrap:anywhere}
.soft{color:var(--soft)}
.note{padding:12px 16px;background:var(--note);border-left:4px solid var(--note-line);border-radius:4px}
a{color:var(--link);text-underline-offset:3px}
code,pre,.text.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{font-size:.9em;overflow-wrap:anywhere}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
nav ul{display:flex;flex-wrap:wrap;gap:6px 20px;list-style:none;margin:28px 0 0;padding:0;font-size:15px}
.line{margin:0 0 10px;padding:14px 16px;background:var(--panel);border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}
button{font:inherit;font-size:14px;color:var(--ink);background:var(--panel);border:1px solid var(--soft);border-radius:6px;
padding:6px 14px;min-height:36px;cursor:pointer}
button:hover{border-color:var(--link);color:var(--link)}
)css";

constexpr std::string_view kParts = R"css(
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(118px,1fr));gap:20px 16px;margin:28px 0}
.figures div{display:flex;flex-direction:column-reverse;justify-content:flex-end;border-top:2px solid var(--line);padding-top:10px}
.figures dd{font-size:25px;line-height:1.2;font-weight:600;letter-spacing:-.01em;font-variant-numeric:tabular-nums}
.figures dt{font-size:14px;margin-top:2px}
.figures dt::first-letter{text-transform:uppercase}
.said div{display:grid;grid-template-columns:minmax(110px,170px) 1fr;gap:4px 24px;padding:10px 0;border-bottom:1px solid var(--line)}
.said dd{max-width:64ch}
sup{font-size:.72em;line-height:0}
.scroll{overflow-x:auto;margin:0 0 14px}
table{border-collapse:collapse;font-size:15px;font-variant-numeric:tabular-nums}
th,td{padding:7px 24px 7px 0;text-align:right;border-bottom:1px solid var(--line);vertical-align:top}
th:last-child,td:last-child{padding-right:0}
thead th{color:var(--soft);font-weight:600;font-size:14px;vertical-align:bottom;white-space:nowrap}
th[scope=row]{font-weight:400}
tr.on{background:var(--panel)}
tr.on th{font-weight:700}
th[scope=row]:not(.name){white-space:nowrap}
.name{text-align:left;overflow-wrap:anywhere;min-width:7em}
.across{display:block;width:min(200px,40vw);height:12px;margin-top:6px;background:var(--panel);border-radius:2px}
.across rect{fill:var(--bar-in)}
summary{cursor:pointer;padding:8px 0;color:var(--link)}
details>summary{width:fit-content;max-width:100%}
figure{margin:20px 0 8px}
figcaption{font-size:14px;color:var(--soft);margin:0 0 6px}
.cards{list-style:none;padding:0}
.cards>li{padding:16px 0 6px;border-bottom:1px solid var(--line)}
.cards>li:last-child{border-bottom:0}
.cards p{margin:0 0 4px}
.cards ul{margin:4px 0 10px;padding-left:20px}
.id{font-weight:600;overflow-wrap:anywhere}
blockquote{margin:10px 0;padding:10px 16px;background:var(--panel);border-left:4px solid var(--line);border-radius:4px;
white-space:pre-wrap;overflow-wrap:anywhere;font-size:15px}
.slider{margin:20px 0 0}
.slider label{display:block;font-weight:600}
.slider output{font-size:20px;font-variant-numeric:tabular-nums;margin-left:6px}
input[type=range]{width:100%;height:36px;margin:4px 0 0;accent-color:var(--bar-in);cursor:pointer}
.search{display:flex;flex-wrap:wrap;gap:8px 12px;align-items:center}
input[type=search]{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--soft);border-radius:6px;padding:6px 12px;
min-height:40px;width:280px;max-width:100%}
)css";

constexpr std::string_view kPairs = R"css(
.pair{border-top:1px solid var(--line)}
.pair[open]{padding-bottom:20px}
.pair>summary{width:auto;display:grid;grid-template-columns:7em 1fr;gap:2px 16px;padding:11px 0;color:var(--ink);list-style:none;align-items:baseline}
.pair>summary::-webkit-details-marker{display:none}
.pair>summary .value::before{content:"\25B8";display:inline-block;width:1.1em;color:var(--soft)}
.pair[open]>summary .value::before{content:"\25BE"}
.pair>summary:hover .names{text-decoration:underline;text-underline-offset:3px}
.value{font-weight:600;font-variant-numeric:tabular-nums}
.venn{display:block;width:100%;height:14px;margin:4px 0 12px;border-radius:3px}
.venn .one{fill:var(--bar)}
.venn .both{fill:var(--shared)}
.parts{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:12px 24px;margin:0 0 18px}
.parts dt{font-size:14px}
.sides{display:grid;grid-template-columns:1fr 1fr;gap:20px;margin:0 0 12px}
.side{min-width:0}
.side .id{margin:0 0 8px;font-size:15px}
.text{max-height:520px;overflow:auto;padding:14px 16px;background:var(--panel);border-radius:6px;font-size:15px;line-height:1.65;
white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4}
.text.code{font-size:13.5px}
mark{color:inherit;background:var(--mark);text-decoration:underline;text-decoration-color:var(--under);text-decoration-thickness:1px;
text-underline-offset:3px;border-radius:2px}
.steps{margin:16px 0 0}
[hidden]{display:none!important}
)css";

constexpr std::string_view kPictures = R"css(
svg.nk{display:block;width:100%;height:auto;overflow:visible}
svg.narrow{display:none}
.nk .bar{fill:var(--bar)}
.nk .bar.in{fill:var(--bar-in)}
.nk .bar.few{fill:var(--paper);stroke:var(--bar);stroke-width:1}
.nk .bar.in.few{stroke:var(--bar-in)}
.nk .border{fill:none;stroke:var(--ink);stroke-width:1.5}
.nk .promise{fill:none;stroke:var(--promise);stroke-width:2;stroke-dasharray:5 4}
.nk .promise.solid{stroke-dasharray:none}
.nk .curve{fill:none;stroke:var(--curve);stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round}
.nk .under{fill:none;stroke:var(--paper);stroke-width:6;stroke-linejoin:round;opacity:.8}
.nk .beam{fill:none;stroke:var(--ink);stroke-width:1.5}
.nk .dot{fill:var(--ink);stroke:var(--paper);stroke-width:1.5}
.nk .choice{fill:var(--bar);cursor:pointer}
.nk .choice.on{fill:var(--bar-in);stroke:var(--ink);stroke-width:1.5}
.nk .grid{stroke:var(--line)}
.nk .muted{fill:var(--soft)}
.legend{display:flex;flex-wrap:wrap;gap:2px 22px;list-style:none;padding:0;margin:0 0 14px;font-size:14px}
svg.swatch{display:inline-block;width:28px;height:14px;vertical-align:-1px;margin-right:4px}
@media (max-width:620px){
header,nav,main,footer{padding-left:16px;padding-right:16px}
header{padding-top:32px}
h1{font-size:26px}
h2{font-size:20px;margin-top:48px}
.lead{font-size:17px}
.figures{grid-template-columns:1fr 1fr;gap:16px}
.figures dd{font-size:22px}
.said div{grid-template-columns:1fr;gap:0}
.sides,.parts{grid-template-columns:1fr}
.pair>summary{grid-template-columns:1fr}
.text{max-height:360px}
.across{width:28vw}
th,td{padding-right:14px}
svg.wide{display:none}
svg.narrow{display:block}
}
@media print{
body{font-size:11pt}
header{padding-top:0}
h2{margin-top:32px}
h2,h3{break-after:avoid}
figure,.cards>li,tr,.side .id{break-inside:avoid}
nav,.slider,.search,.steps,button{display:none}
.text{max-height:none;overflow:visible;background:none;border:1px solid var(--line)}
.scroll{overflow:visible}
a{color:inherit;text-decoration:none}
}
)css";

}  // namespace

std::string page_style() {
  std::string out;
  for (const std::string_view part : {kColours, chart_style(), kText, kParts, kPairs, kPictures}) out += part;
  return out;
}

}  // namespace nearkin::page
