import{b as o,u as m,x as r,y as a}from"./chunk-DBZ7ZTGP.js";r();var[{App:e}]=await Promise.all([import("./app-7ADT4ZZX.js"),m.load()]);o(a(e,{}),document.body);
