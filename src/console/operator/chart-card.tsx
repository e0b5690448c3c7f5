// A card whose values are a chart or a table, as its reader likes.
import { type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/parts.tsx";

interface ChartCardProps {
  title: string;
  /** Absent: there is nothing to draw, and the table says so. */
  chart: ReactNode;
  table: ReactNode;
  link?: ReactNode;
  className?: string;
}

export function ChartCard({ title, chart, table, link, className }: ChartCardProps): ReactNode {
  const [asTable, setAsTable] = useState(false);
  const drawn = chart !== undefined;
  return (
    <Card
      title={title}
      flush
      {...(className === undefined ? {} : { className })}
      actions={
        <div className="flex flex-wrap items-center gap-2">
          {link}
          {drawn && (
            <Button kind="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
              {asTable ? "Show chart" : "Show table"}
            </Button>
          )}
        </div>
      }
    >
      {drawn && !asTable ? chart : table}
    </Card>
  );
}
