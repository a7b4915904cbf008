import type { ReactNode } from 'react'
import { PageHeader, type PageHeaderProps } from '../layout/page-header.tsx'
import { QueryView, type QueryViewProps, type ViewedQuery } from '../states/query-view.tsx'
import { DataTable, type DataTableProps } from './data-table.tsx'

/** Rows of a list as far as they were read, and what reads more of them: the hooks for lists give it. */
interface ListQuery<Row> extends ViewedQuery<readonly Row[]> {
  readonly loadMore?: (() => void) | undefined
  readonly isFetchingNextPage?: boolean
}

/** A query whose reply holds all rows of a list. */
export function toList<Reply, Row>(
  { data, error, refetch }: ViewedQuery<Reply>,
  select: (reply: Reply) => readonly Row[],
): ListQuery<Row> {
  return { data: data === undefined ? undefined : select(data), error, refetch }
}

interface Identified {
  readonly id: string
}

type OwnTableProps = 'rows' | 'rowId' | 'empty' | 'onLoadMore' | 'isLoadingMore'

/** What a {@link RowList} takes. */
interface RowListProps<Row extends Identified>
  extends Omit<DataTableProps<Row>, OwnTableProps>, Pick<QueryViewProps<readonly Row[]>, 'loadingLabel'> {
  readonly query: ListQuery<Row>
  /** Rows in place of those that were read: some of them, or in another order. */
  readonly shown?: readonly Row[] | undefined
  /** Shown instead of no rows. */
  readonly empty: ReactNode
  /** Shown above the rows that were read, such as what they are together. */
  readonly above?: (rows: readonly Row[]) => ReactNode
}

/** The rows of a query with all of its states: loading, failed, empty, there, and more of them. */
export function RowList<Row extends Identified>(props: RowListProps<Row>) {
  const { query, shown, empty, above, loadingLabel, ...table } = props
  return (
    <QueryView query={query} {...(loadingLabel !== undefined && { loadingLabel })}>
      {(rows) => (
        <>
          {above?.(rows)}
          <DataTable
            {...table}
            rows={shown ?? rows}
            rowId={idOf}
            empty={empty}
            onLoadMore={query.loadMore}
            isLoadingMore={query.isFetchingNextPage === true}
          />
        </>
      )}
    </QueryView>
  )
}

const idOf = ({ id }: Identified) => id

/** What a {@link ListPage} takes. */
interface ListPageProps<Row extends Identified>
  extends
    Omit<RowListProps<Row>, 'label'>,
    Pick<PageHeaderProps, 'title' | 'description' | 'actions' | 'back'> {
  /** @default the title */
  readonly label?: string
  /** Fields that narrow the list. */
  readonly filters?: ReactNode
  /** What else the page has, below the list. */
  readonly children?: ReactNode
}

/** A page of one list: its title, what can be done, the fields that narrow it, and its rows. */
export function ListPage<Row extends Identified>(props: ListPageProps<Row>) {
  const { title, description, actions, back, label = title, filters, children, ...list } = props
  return (
    <>
      <PageHeader {...{ title, description, actions }} {...(back && { back })} />
      {filters}
      <RowList label={label} {...list} />
      {children}
    </>
  )
}
