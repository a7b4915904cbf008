import { createSavedViews, type SavedView } from '../../components/views/saved-views.ts'

/** Views of the list of runs that were saved in this browser. */
export const activityViews = createSavedViews('homeward-activity-views')

/** Views that everybody has. */
export const usualActivityViews: readonly SavedView[] = [
  { name: 'All', search: '' },
  { name: 'Failed, last 24 hours', search: 'status=failed&range=day' },
  { name: 'Waiting for a person', search: 'status=waiting' },
  { name: 'Highest cost, last 7 days', search: 'range=week&sort=-cost' },
]
