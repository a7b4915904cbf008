import { type ComponentType, Suspense } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { EmptyState } from '../components/states/empty-state.tsx'
import { LinkButton } from '../components/buttons/link-button.tsx'
import { lazyPart } from '../components/states/lazy-part.ts'
import { LoadingState } from '../components/states/loading-state.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'

/** Path of the address → page. What `:` names may hold is read by `useParams`. */
export type PageRoute = readonly [path: string, page: ComponentType]

/** A page that is loaded when it is first opened: the first one waits for neither plots nor graphs. */
export function lazyPage(load: () => Promise<ComponentType>): ComponentType {
  return lazyPart(load)
}

/** Leads to where a page is now, with the filters of the address. @param to its new path */
export function moved(to: string): ComponentType {
  const [path = to, search = ''] = to.split('?')
  return function Moved() {
    const filters = new URLSearchParams([
      ...new URLSearchParams(search),
      ...new URLSearchParams(location.search),
    ])
    return <Redirect to={filters.size === 0 ? path : `${path}?${filters.toString()}`} replace />
  }
}

/** Shows the first page whose path fits the address. */
export function PageRoutes({ routes }: { readonly routes: readonly PageRoute[] }) {
  return (
    <Suspense fallback={<LoadingState />}>
      <Switch>
        {routes.map(([path, Page]) => (
          <Route key={path} path={path} component={Page} />
        ))}
        <Route>
          <PageHeader title="Not found" />
          <EmptyState title="Page not found" action={<LinkButton href="/">Home</LinkButton>} />
        </Route>
      </Switch>
    </Suspense>
  )
}
