import{b as o,u as m,x as r,y as a}from"./chunk-SQMFJJSS.js";r();var[{App:e}]=await Promise.all([import("./app-HO2CNZWZ.js"),m.load()]);o(a(e,{}),document.body);
