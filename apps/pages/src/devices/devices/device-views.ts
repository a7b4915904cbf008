import { createSavedViews, type SavedView } from '../../components/views/saved-views.ts'

/** Views of the list of devices that were saved in this browser. */
export const deviceViews = createSavedViews('homeward-device-views')

/** Views that everybody has. */
export const usualDeviceViews: readonly SavedView[] = [
  { name: 'All', search: '' },
  { name: 'Online', search: 'status=online' },
  { name: 'Offline', search: 'status=offline' },
]
