// For `node --import`: the process sees a clock that is off by SVC_TEST_CLOCK_SHIFT_MS, as on a machine whose clock is
// wrong.
const Right = Date
const shiftMs = Number(process.env.SVC_TEST_CLOCK_SHIFT_MS)

globalThis.Date = class Date extends Right {
  constructor(...given) {
    if (given.length === 0) super(Right.now() + shiftMs)
    else super(...given)
  }

  static now() {
    return Right.now() + shiftMs
  }
}
