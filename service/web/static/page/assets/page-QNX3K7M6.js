import{b as o,u as m,x as r,y as a}from"./chunk-JSHP7WAD.js";r();var[{App:e}]=await Promise.all([import("./app-EYNDQZSR.js"),m.load()]);o(a(e,{}),document.body);
