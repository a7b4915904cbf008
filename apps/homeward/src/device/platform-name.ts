import { platform } from 'node:os'

const names: Readonly<Record<string, string>> = { darwin: 'macos', win32: 'windows', linux: 'linux' }

/** This operating system, as devices name it. */
export const platformName = (): string => names[platform()] ?? 'other'
