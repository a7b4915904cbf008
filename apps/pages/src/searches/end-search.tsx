import type { SearchGroup, SearchQuery } from '@homeward/contract/device-cloud'
import { Trash2, X } from 'lucide-react'
import { useLocation } from 'wouter'
import { useCloudMutation } from '../api/cloud.ts'
import { untilGone } from '../api/until-gone.ts'
import type { MenuAction } from '../components/buttons/action-menu.tsx'
import { describeError } from '../components/states/error-state.tsx'
import { showToast } from '../components/states/toasts.tsx'

const changed = ['listSearches', 'listSearchGroups', 'getSearchGroup'] as const

/** Actions that cancel a pending search, or delete a settled one after a confirmation. */
export function useEndSearch(search: SearchQuery | undefined): MenuAction | undefined {
  const [, navigate] = useLocation()
  const end = useCloudMutation('deleteSearch', { invalidates: changed })
  if (!search) return undefined
  const { id, query, status } = search

  async function erase(): Promise<void> {
    await untilGone(end.mutateAsync({ params: { id } }))
    showToast({ title: 'Search deleted', text: query })
    navigate('/searches')
  }

  if (status === 'pending') {
    const onError = (error: Error) => showToast({ tone: 'bad', ...describeError(error) })
    return {
      label: 'Cancel search',
      icon: <X aria-hidden />,
      onAction: () => end.mutate({ params: { id } }, { onError }),
    }
  }
  return {
    label: 'Delete search',
    icon: <Trash2 aria-hidden />,
    confirm: {
      title: 'Delete this search?',
      text: <p>The results of the device are deleted too. This cannot be undone.</p>,
      onConfirm: erase,
    },
  }
}

/** Action that deletes a search with its results on all devices, after a confirmation. */
export function useDeleteGroup({ id, query, total }: SearchGroup): MenuAction {
  const [, navigate] = useLocation()
  const remove = useCloudMutation('deleteSearchGroup', { invalidates: changed })

  async function erase(): Promise<void> {
    await untilGone(remove.mutateAsync({ params: { id } }))
    showToast({ title: 'Search deleted', text: query })
    navigate('/searches')
  }

  return {
    label: 'Delete search',
    icon: <Trash2 aria-hidden />,
    confirm: {
      title: total === 1 ? 'Delete this search?' : 'Delete this search on all devices?',
      text: (
        <p>
          Pending searches are canceled. Settled searches are deleted with their results. This cannot be
          undone.
        </p>
      ),
      onConfirm: erase,
    },
  }
}
