import{b as o,u as m,x as r,y as a}from"./chunk-E3KCFHEC.js";r();var[{App:e}]=await Promise.all([import("./app-SIHYGXHN.js"),m.load()]);o(a(e,{}),document.body);
