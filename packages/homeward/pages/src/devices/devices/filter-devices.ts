import type { Device } from '@homeward/contract/device-cloud'

/** Which devices are looked for. */
export interface DeviceFilter {
  readonly text: string
  /** `all` for every one. */
  readonly status: string
  /** `all` for every one. */
  readonly platform: string
}

/** The devices that fit: each word of the text is somewhere in what the device is called, is or runs. */
export function filterDevices(
  devices: readonly Device[],
  { text, status, platform }: DeviceFilter,
): readonly Device[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0 && status === 'all' && platform === 'all') return devices
  return devices.filter(
    (device) =>
      (status === 'all' || device.status === status) &&
      (platform === 'all' || device.platform === platform) &&
      words.every((word) => textOf(device).includes(word)),
  )
}

const texts = new WeakMap<Device, string>()

/** Made once for each device as it was read: a fleet is filtered at every letter. */
function textOf(device: Device): string {
  const known = texts.get(device)
  if (known !== undefined) return known
  const { id, name, type, platform, metadata } = device
  const made = [id, name, type, platform, metadata.os, metadata.version, metadata.hardware]
    .filter((each) => typeof each === 'string')
    .join('\n')
    .toLocaleLowerCase()
  texts.set(device, made)
  return made
}

/** What the devices run, each once, in the order of the alphabet. */
export function platformsOf(devices: readonly Device[]): readonly string[] {
  return [...new Set(devices.map(({ platform }) => platform))].toSorted()
}
