import{b as o,u as m,x as r,y as a}from"./chunk-DTGKK73F.js";r();var[{App:e}]=await Promise.all([import("./app-RYBZ4Q66.js"),m.load()]);o(a(e,{}),document.body);
