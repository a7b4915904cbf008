/** The one device of a call, to name it in the audit; null for several, of which it is not known which was refused. */
export function onlyOne(deviceIds: readonly string[]): string | null {
  const [deviceId, ...others] = new Set(deviceIds)
  return deviceId === undefined || others.length > 0 ? null : deviceId
}
