/** A picture for the first screen: an island in the South Seas, a bridge, a boat. */

import type { JSX } from "preact";
import { Figure } from "../board/figure.tsx";

export function Scene(): JSX.Element {
  return (
    <svg class="scene" viewBox="0 0 640 240" aria-hidden="true">
      <radialGradient id="glow">
        <stop class="sun" offset="0.4" />
        <stop class="sun haze" offset="0.42" />
        <stop class="sun faded" offset="1" />
      </radialGradient>
      <circle fill="url(#glow)" cx="470" cy="122" r="115" />
      <rect class="sea" y="140" width="640" height="100" />
      <path class="glitter" d="M430 156h80M444 168h56M420 182h70M452 196h30" />
      <path
        class="wave"
        d="M30 172q12-8 24 0t24 0M120 206q12-8 24 0t24 0M545 190q12-8 24 0t24 0M330 214q12-8 24 0t24 0"
      />
      <path class="far" d="M520 141q24-26 52-18 22-16 44 18Z" />
      <path class="sand" d="M60 168c30-24 80-34 130-30 50 3 80 14 96 28 6 12-50 22-120 22S52 180 60 168Z" />
      <path class="grass" d="M92 158c24-26 66-30 100-24 32 5 50 14 56 24-40 10-120 10-156 0Z" />
      <path class="trunk" d="M146 152c4-30 2-58-14-86M206 156c-2-24 4-44 20-62" />
      <path
        class="leaf"
        d="M132 66c-22-16-46-10-54 8 18-8 36-8 54-8Zm0 0c-26 2-40 20-38 40 8-18 22-32 38-40Zm0 0c-8-24-2-38 18-46-2 18-8 34-18 46Zm0 0c20-16 44-10 52 10-18-8-34-10-52-10Zm0 0c22 4 34 20 32 40-8-18-18-32-32-40ZM226 94c-16-12-34-8-42 6 14-6 28-6 42-6Zm0 0c-16 4-26 16-24 30 6-12 14-22 24-30Zm0 0c14-14 34-10 42 6-16-6-28-6-42-6Zm0 0c16 2 26 14 24 28-6-12-14-22-24-28Zm0 0c-4-14 0-24 12-30 0 12-4 22-12 30Z"
      />
      <path class="plank" d="M276 166h150" />
      <path class="post" d="M290 166v22M326 166v22M362 166v22M398 166v22M424 166v22" />
      <g transform="translate(330 152) scale(1.3)">
        <Figure color="red" />
      </g>
      <g transform="translate(176 146) scale(1.2)">
        <Figure color="yellow" />
      </g>
      <g class="boat" transform="translate(520 170)">
        <path class="hull" d="M-44 10h88c-4 14-14 22-26 22h-36c-12 0-22-8-26-22Z" />
        <path class="sail" d="M-4-58V4h-34c14-16 26-38 34-62ZM4-48C16-32 28-16 34 4H4Z" />
      </g>
      <g transform="translate(508 168)">
        <Figure color="blue" />
      </g>
    </svg>
  );
}
