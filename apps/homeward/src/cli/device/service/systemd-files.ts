/** Where the files of the systemd service are. */
export const serviceUnitPath = '/etc/systemd/system/homeward-device.service'
export const serviceName = 'homeward-device.service'
export const sysusersPath = '/etc/sysusers.d/homeward-device.conf'
export const programFolder = '/usr/local/lib/homeward-device'
/** The user of the service, unless another one is named. */
export const serviceUser = 'homeward-device'
