// A few frames of real H.264 in each shape: a key frame and three that hardly change, 24 a second, made once with x264
// (main profile, a flat ground with a square). Repeated they are a video of any length; mp4.ts puts them into a file.

export interface Footage {
  width: number;
  height: number;
  /** NAL units in base64, without start codes. */
  sequence: string;
  picture: string;
  frames: readonly string[];
}

export const framesPerSecond = 24;

export const landscape: Footage = {
  width: 1280,
  height: 720,
  sequence: "Z01AMqYRAUAW7ARAAAADAEAAAAwDxgyEYA==",
  picture: "aOhDA5LI",
  frames: [
    "ZYiCBn/+dSrwJh5wj+hoUbc3ykt+hQoOCbN9iAAAAwAAAwAAAwABJ4jTW9Gs8a1wAAADAAAfxFgAy1CJntm+8xSmaF8P5jr1FBJgsnsp6UHoRDAx" +
      "EvnQAAAJ2D7azY9vPMHjXr/jzUZVH4AAAhDPFiJQArrJkAJGSzACL8twAiYvSAIOL4gCAbfAA3mZIAKUJX4fPfR7FMhefy8C56PxyMIuCdaLQAAA" +
      "D2A4gACvzgAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAA" +
      "AwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwACAw==",
    "QZodiGf/AACqsRaQQ/njv24aLlQENTSAAAADAAADAAADAAADAAADAAADAA+Y",
    "QZor8EGTKYQz/wAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAIeQ==",
    "QZo5PBB5MpgQzwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAIeA==",
  ],
};

export const portrait: Footage = {
  width: 720,
  height: 1280,
  sequence: "Z01AMqYRAtAobARAAAADAEAAAAwDxgyEYA==",
  picture: "aOhDA5LI",
  frames: [
    "ZYiCBn/+dSrwJh5wj+hoUbc3ykt+hQoOCbN9iAAAAwAAAwAAJZl81qEYfKggAAADAVC8RAYwhLoEn6JZR5ebcuwILE9wAsnsp6UHoRDBREvnwAAu" +
      "UKFJY9u2WxMK+5COdiUbAALfoNAOy2WwJSddFxFtzibemszBNdmKbDMklWrSZrpImNPiy8vl4Fz0fjkYRcEy0WgABAgMODrZQAAAAwAAAwAAAwAA" +
      "AwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAA" +
      "AwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAE1E=",
    "QZodiGf/AAnTEWkEP5479uGi5UOappAAAAMAAAMAAAMAAAMAAAMAAAMAAA3o",
    "QZor8EGTKYQz/wAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAIeQ==",
    "QZo5PBB5MpgQzwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAIeA==",
  ],
};

export const square: Footage = {
  width: 720,
  height: 720,
  sequence: "Z01AKKYRAtBbsBEAAAMAAQAAAwAwDxgyEYA=",
  picture: "aOhDA5LI",
  frames: [
    "ZYiCBn/+dSrwJh5wj+hoUbc3ykt+hQoOCbN9iAAAAwAAAwAAJZl81qEYfKggAAADAVC8RAYwhLoEn6JZR5ebcuwILE9wAsnsp6UHoRDBREvnwAAu" +
      "UKFJY9u2WxMK+5COdiUbAALfoNAOy2WwJSddFxFtzibemszBNdmKbDMklWrSZrpImNPiy8vl4Fz0fjkYRcEy0WgABAgMODrZQAAAAwAAAwAAAwAA" +
      "AwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwAAAwA4oQ==",
    "QZodiGf/AAnTEWkEP5479uGi5UOappAAAAMAAAMAAAMARcA=",
    "QZor8EGTKYQz/wAAAwAAAwAAAwAAAwAAK2E=",
    "QZo5PBB5MpgQzwAAAwAAAwAAAwAAAwAAK2A=",
  ],
};
