import { resolve } from 'node:path'

/**
 * Programs that tests start share what was compiled, types stripped: without it each start costs twice the time. The cache
 * is that of the reference server.
 */
export default function setup(): void {
  process.env['NODE_COMPILE_CACHE'] ??= resolve(import.meta.dirname, '../node_modules/.cache/homeward')
}
