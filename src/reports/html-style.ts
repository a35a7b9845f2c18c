/** Style of the HTML file of a report: light, for a screen, a phone and paper of A4 and Letter. */
export const reportStyle = `
:root{color-scheme:light;--ink:#14181f;--ink2:#47505e;--ink3:#5f6978;--line:#dfe3e9;--sunken:#f3f5f8;--ok:#0e6a8f;--ok-bg:#e2f0f7;--warn:#8f5200;--crit:#b0122f;--crit-bg:#fbe7ea;--accent:#3f46c8}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:#fff;color:var(--ink);font:14px/1.5 Inter,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1000px;margin:0 auto;padding:40px 32px 56px}
header{display:flex;justify-content:space-between;align-items:flex-end;gap:24px;border-bottom:2px solid var(--ink);padding-bottom:16px}
h1{margin:0;font-size:30px;line-height:1.15;letter-spacing:-.02em;overflow-wrap:anywhere}
h2{margin:32px 0 8px;font-size:17px;letter-spacing:-.01em;break-after:avoid}
p{margin:0}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:2px;overflow-wrap:anywhere}
.over{margin:0 0 4px;color:var(--ink3);font-size:12px;font-weight:600;letter-spacing:.06em;text-transform:uppercase}
.meta{color:var(--ink2);font-size:12px;text-align:right;line-height:1.5;overflow-wrap:anywhere}
.lead{margin:20px 0 0;font-size:18px;line-height:1.4;max-width:62ch}
.tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:12px;margin:20px 0 0;padding:0;list-style:none}
.tiles li{background:var(--sunken);border-radius:8px;padding:12px 16px}
.tiles b{display:block;font-size:24px;line-height:1.2;letter-spacing:-.02em}
.tiles span{color:var(--ink2);font-size:12px}
.tiles .bad{background:var(--crit-bg)}.tiles .bad b{color:var(--crit)}
.tiles .good{background:var(--ok-bg)}.tiles .good b{color:var(--ok)}
table{width:100%;border-collapse:collapse;font-size:13px}
thead{display:table-header-group}
tr{break-inside:avoid}
th{padding:6px 12px 6px 0;border-bottom:1px solid var(--ink3);color:var(--ink3);font-size:11px;font-weight:600;text-align:left;vertical-align:bottom}
td{padding:8px 12px 8px 0;border-bottom:1px solid var(--line);vertical-align:top}
th:last-child,td:last-child{padding-right:0}
.n{text-align:right;white-space:nowrap}
.name{font-weight:600;overflow-wrap:anywhere}
.sub{display:block;color:var(--ink3);font-size:12px;font-weight:400;overflow-wrap:anywhere;white-space:normal}
.word{font-weight:600;white-space:nowrap}.ok{color:var(--ok)}.crit{color:var(--crit)}.none{color:var(--ink3)}
.bar{display:block;width:110px;height:6px;margin:5px 0 0 auto;border-radius:3px;background:#e6eaef;overflow:hidden;-webkit-print-color-adjust:exact;print-color-adjust:exact}
.bar i{display:block;height:100%;background:var(--ok)}.bar .full{background:var(--crit)}
.chips{display:flex;flex-wrap:wrap;gap:4px 8px}
.chip{border-radius:4px;padding:0 6px;background:var(--sunken);font-size:12px;white-space:nowrap}
.chip.ok{background:var(--ok-bg)}.chip.crit{background:var(--crit-bg)}
.account{margin:4px 0 0;padding:0 0 0 12px;border-left:2px solid var(--line);color:var(--ink2);white-space:pre-wrap;overflow-wrap:anywhere;font-size:12px}
.note{margin:8px 0 0;color:var(--ink3);font-size:12px}
footer{margin:32px 0 0;padding-top:12px;border-top:1px solid var(--line);color:var(--ink3);font-size:11px}
.tiles li,.chip,.bar{-webkit-print-color-adjust:exact;print-color-adjust:exact}
@media screen and (max-width:680px){
main{padding:24px 16px 40px}
header{display:block}.meta{margin-top:12px;text-align:left}
h1{font-size:24px}.lead{font-size:16px}
.tiles{grid-template-columns:1fr 1fr}
table,tbody,tr,td{display:block}thead{display:none}
tr{padding:12px 0;border-bottom:1px solid var(--line)}
td{display:flex;justify-content:space-between;gap:16px;padding:2px 0;border:0;text-align:right;white-space:normal}
td::before{content:attr(data-head);flex:none;color:var(--ink3);font-size:12px;text-align:left}
td.name,td.wide{display:block;text-align:left}td.name::before{content:none}
td.wide::before{display:block}
.chips{justify-content:flex-end}
}
@media print{
@page{margin:14mm 13mm}
body{font-size:10pt}
main{max-width:none;padding:0}
h1{font-size:20pt}h2{margin-top:18px;font-size:12pt}
.lead{margin-top:12px;font-size:12pt}
.tiles{margin-top:12px}.tiles li{padding:8px 12px}.tiles b{font-size:16pt}
table{font-size:8.5pt}td{padding-top:5px;padding-bottom:5px}
th,.sub,.account,.chip,.note{font-size:7.5pt}
a{color:inherit}
}
`
