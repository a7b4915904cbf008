import { crc32, deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const maxColors = 256

/**
 * Makes a PNG of 8 bits a channel one with a palette, which is a third of the size: pages have few colors besides the
 * edges of letters.
 */
export function toPalettePng(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png)
  const palette = choosePalette(pixels)
  const rows = Buffer.alloc((width + 1) * height) // each begins with the filter 0: none
  const placeOf = new Map<number, number>()
  for (let at = 0; at < pixels.length; at += 1) {
    const color = pixels[at]!
    let place = placeOf.get(color)
    if (place === undefined) placeOf.set(color, (place = nearest(palette, color)))
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = place
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8) // 8 bits, by a palette
  const colors = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))
  const parts = [chunk('IHDR', header), chunk('PLTE', colors), chunk('IDAT', deflateSync(rows, { level: 9 }))]
  return Buffer.concat([signature, ...parts, chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(content.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

/** The most frequent colors, leaving out those that are close to one that was chosen. */
function choosePalette(pixels: Uint32Array): number[] {
  const counts = new Map<number, number>()
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1)
  const frequent = [...counts.keys()].toSorted((one, other) => counts.get(other)! - counts.get(one)!)
  const chosen: number[] = []
  for (const color of frequent) {
    if (chosen.length === maxColors) break
    const isNear = chosen.length > 64 && distance(chosen[nearest(chosen, color)]!, color) < 300
    if (!isNear) chosen.push(color)
  }
  return chosen
}

function nearest(palette: readonly number[], color: number): number {
  let best = 0
  for (let at = 1; at < palette.length; at += 1)
    if (distance(palette[at]!, color) < distance(palette[best]!, color)) best = at
  return best
}

function distance(one: number, other: number): number {
  const red = (one >> 16) - (other >> 16)
  const green = ((one >> 8) & 255) - ((other >> 8) & 255)
  const blue = (one & 255) - (other & 255)
  return red * red + green * green + blue * blue
}

/** Reads a PNG of 8 bits a channel, as Chromium writes it: pixels as numbers 0xRRGGBB. */
function decode(png: Buffer): { width: number; height: number; pixels: Uint32Array } {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const size = png[25] === 6 ? 4 : 3 // bytes of a pixel, with and without alpha
  const packed: Buffer[] = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      packed.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  const raw = inflateSync(Buffer.concat(packed))
  const line = width * size
  const bytes = Buffer.alloc(line * height)
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (line + 1)]
    for (let x = 0; x < line; x += 1) {
      const at = y * line + x
      const left = x < size ? 0 : bytes[at - size]!
      const up = y === 0 ? 0 : bytes[at - line]!
      const corner = x < size || y === 0 ? 0 : bytes[at - line - size]!
      bytes[at] = raw[y * (line + 1) + 1 + x]! + predict(filter, left, up, corner)
    }
  }
  const pixels = Uint32Array.from({ length: width * height }, (_, at) => bytes.readUIntBE(at * size, 3))
  return { width, height, pixels }
}

/** What the filter of a line adds (PNG, section 9.2). */
function predict(filter: number | undefined, left: number, up: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return Math.floor((left + up) / 2)
  if (filter !== 4) return 0
  const guess = left + up - corner
  const toLeft = Math.abs(guess - left)
  const toUp = Math.abs(guess - up)
  const toCorner = Math.abs(guess - corner)
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}
