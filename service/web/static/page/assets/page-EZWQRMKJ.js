import{b as o,u as m,x as r,y as a}from"./chunk-QIWHTEWN.js";r();var[{App:e}]=await Promise.all([import("./app-YITBQY26.js"),m.load()]);o(a(e,{}),document.body);
