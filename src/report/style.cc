#include "report/chart.h"

namespace nearkin {

// Seven colours told apart by people with any kind of colour vision (after Okabe and Ito, "Color Universal Design", 2008), darker on
// white and lighter on black. Written out for each theme: many viewers of SVG files know no custom properties.
std::string_view chart_style() {
  return R"css(.nk text{font-size:12px;fill:#2b2f33;
font-family:system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,"DejaVu Sans",sans-serif}
.nk .head{font-size:16px;font-weight:600;fill:#15181b}
.nk .muted{fill:#5b6168}
.nk .end{text-anchor:end}
.nk .mid{text-anchor:middle}
.nk .halo{stroke:#fff;stroke-width:3px;stroke-linejoin:round;paint-order:stroke}
.nk .paper{fill:#fff}
.nk .grid{fill:none;stroke:#e6e8ea;stroke-width:1}
.nk .axis{fill:none;stroke:#8b9198;stroke-width:1}
.nk .line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.nk .mark{stroke:#fff;stroke-width:1;stroke-linejoin:round;paint-order:stroke}
.nk .line.c0{stroke:#0072b2}.nk .mark.c0{fill:#0072b2}
.nk .line.c1{stroke:#cc5200}.nk .mark.c1{fill:#cc5200}
.nk .line.c2{stroke:#00916a}.nk .mark.c2{fill:#00916a}
.nk .line.c3{stroke:#b8609b}.nk .mark.c3{fill:#b8609b}
.nk .line.c4{stroke:#dc9600}.nk .mark.c4{fill:#dc9600}
.nk .line.c5{stroke:#4aa8de}.nk .mark.c5{fill:#4aa8de}
.nk .line.c6{stroke:#454545}.nk .mark.c6{fill:#454545}
@media screen and (prefers-color-scheme:dark){
.nk text{fill:#d7dbe0}
.nk .head{fill:#f2f4f6}
.nk .muted{fill:#a2a9b1}
.nk .halo{stroke:#15181c}
.nk .paper{fill:#15181c}
.nk .grid{stroke:#2b3036}
.nk .axis{stroke:#7d848c}
.nk .mark{stroke:#15181c}
.nk .line.c0{stroke:#4c9fe6}.nk .mark.c0{fill:#4c9fe6}
.nk .line.c1{stroke:#ff8142}.nk .mark.c1{fill:#ff8142}
.nk .line.c2{stroke:#1fb890}.nk .mark.c2{fill:#1fb890}
.nk .line.c3{stroke:#d98cc0}.nk .mark.c3{fill:#d98cc0}
.nk .line.c4{stroke:#f2c14e}.nk .mark.c4{fill:#f2c14e}
.nk .line.c5{stroke:#a5dcff}.nk .mark.c5{fill:#a5dcff}
.nk .line.c6{stroke:#f0f0f0}.nk .mark.c6{fill:#f0f0f0}
}
)css";
}

}  // namespace nearkin
