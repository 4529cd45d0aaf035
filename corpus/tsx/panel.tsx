import React, { type ReactNode } from 'react';

interface PanelProps {
  title: string;
  children?: ReactNode;
  onClose?: () => void;
}

/* <Panel title="x" /> is only mentioned here. */
export const Panel: React.FC<PanelProps> = ({ title, children, onClose }) => {
  const [open, setOpen] = React.useState<boolean>(true);
  const timer = React.useRef<Timer | null>(null);

  if (timer.current != null) timer.current.dispose();
  if (timer.current != null) {
    timer.current.dispose();
  }

  return (
    <section className="panel" hidden={!open}>
      <h2>{title} – fermé</h2>
      <button onClick={() => { setOpen(false); onClose?.(); }} disabled>close</button>
      {open && <div>{children}</div>}
      <Badge text={"if (x != null) x.dispose()" as string} count={1 + 2} />
    </section>
  );
};

class Timer {
  private id: number = 0;
  dispose(): void { clearTimeout(this.id); }
}

function Badge({ text, count = 0 }: { text: string; count?: number }) {
  return <span title={text}>{count}</span>;
}
