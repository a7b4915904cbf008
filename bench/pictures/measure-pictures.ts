import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild } from '../child.ts'
import { median } from '../median.ts'
import type { Measurement } from '../measurement.ts'
import type { PicturesProcessCalls } from './pictures-process.ts'

const pictureBytes = 5 * 1024 * 1024
const mebibyte = 1024 * 1024
const warmUp = 20

/** A run with a picture that each of its model calls gets, next to the same run without one, over SQLite on file. */
export async function measurePictures(turns: number, rounds: number): Promise<readonly Measurement[]> {
  const home = await mkdtemp(join(tmpdir(), 'homeward-bench-'))
  const module = new URL('pictures-process.ts', import.meta.url)
  try {
    await using child = startChild<PicturesProcessCalls>(module, [home, String(turns), String(pictureBytes)])
    await child.call.prepare()
    for (let run = 0; run < warmUp; run += 1) await child.call.run(false)
    const plain: number[] = []
    const withPicture: number[] = []
    let before = 0
    for (let round = 0; round < rounds; round += 1) {
      const { tookMs, peakBytes } = await child.call.run(false)
      plain.push(tookMs)
      before = peakBytes
    }
    let peak = 0
    for (let round = 0; round < rounds; round += 1) {
      const { tookMs, peakBytes, sentBytes } = await child.call.run(true)
      if (sentBytes !== turns * pictureBytes)
        throw new Error(`Running with a picture: the model got ${sentBytes} bytes of it`)
      withPicture.push(tookMs)
      peak = peakBytes
    }
    const name = `run of ${turns} turns with a picture of 5 MiB`
    return [
      { name, value: round1(median(withPicture)), floor: round1(median(plain)), unit: 'ms' },
      {
        name: `${name}, peak memory above one without`,
        value: round1((peak - before) / mebibyte),
        unit: 'MiB',
      },
    ]
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

const round1 = (value: number) => Math.round(value * 10) / 10
