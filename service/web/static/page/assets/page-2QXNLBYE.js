import{b as o,u as m,x as r,y as a}from"./chunk-GKMRX3J4.js";r();var[{App:e}]=await Promise.all([import("./app-YTH37NW2.js"),m.load()]);o(a(e,{}),document.body);
