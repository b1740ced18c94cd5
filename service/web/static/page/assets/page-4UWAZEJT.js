import{b as o,u as m,x as r,y as a}from"./chunk-2QVXBPTC.js";r();var[{App:e}]=await Promise.all([import("./app-NGI62DPG.js"),m.load()]);o(a(e,{}),document.body);
