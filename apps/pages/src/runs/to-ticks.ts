const steps = [1, 2, 5]

/** Times at which an axis of a length is marked: three to seven, at round numbers, from 0 on. */
export function toTicks(lengthMs: number): number[] {
  const wanted = lengthMs / 6
  let unit = 1
  while (unit * 10 <= wanted) unit *= 10
  const step = (steps.find((each) => each * unit >= wanted) ?? 10) * unit
  const ticks: number[] = []
  for (let ms = 0; ms <= lengthMs; ms += step) ticks.push(ms)
  return ticks
}
