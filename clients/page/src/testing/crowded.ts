/** Where islanders may stand on the tiles with the least room between them. */
export const CROWDED = {
  "piers in a corner": [
    { x: 67.5, y: 87.5 },
    { x: 27.5, y: 72.5 },
    { x: 12.5, y: 32.5 },
    { x: 70, y: 30 },
    { x: 50, y: 83 },
    { x: 15.1, y: 50 },
  ],
  "tips and a bridge": [
    { x: 82.5, y: 47.5 },
    { x: 12.5, y: 70 },
    { x: 12.5, y: 30 },
    { x: 50, y: 27.5 },
    { x: 47.5, y: 70 },
    { x: 28.3, y: 50 },
  ],
  "a junction of four": [
    { x: 72.5, y: 27.5 },
    { x: 77.5, y: 77.5 },
    { x: 27.5, y: 72.5 },
    { x: 22.5, y: 22.5 },
    { x: 50, y: 21 },
    { x: 79, y: 50 },
    { x: 50, y: 79 },
    { x: 21, y: 50 },
  ],
};
