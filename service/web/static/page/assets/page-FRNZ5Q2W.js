import{b as o,u as m,x as r,y as a}from"./chunk-6GRZWMLZ.js";r();var[{App:e}]=await Promise.all([import("./app-U3G455Z6.js"),m.load()]);o(a(e,{}),document.body);
