import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** What to do where there is none. */
export const howToGetChromium =
  'no Chromium was found: install one (Debian: apt-get install chromium), or set CHROMIUM_PATH to where it is'

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']
const usual = [
  '/usr/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** The program of a Chromium: `CHROMIUM_PATH`, the usual places, or one of the usual names on the search path. */
export function findChromium(): string | undefined {
  const chosen = process.env['CHROMIUM_PATH']
  if (chosen !== undefined && chosen !== '') return isProgram(chosen) ? chosen : undefined
  const folders = process.env['PATH']?.split(delimiter) ?? []
  return [...usual, ...folders.flatMap((folder) => names.map((name) => join(folder, name)))].find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
