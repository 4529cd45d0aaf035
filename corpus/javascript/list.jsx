import React, { useState, useEffect } from 'react';

/** A list of names. `<Item />` in a comment is not an element. */
export function List({ names, onPick }) {
  const [picked, setPicked] = useState(null);

  useEffect(() => {
    document.title = 'List – ' + names.length;
  }, []);

  if (picked != null) picked.dispose();

  return (
    <>
      <h1 className="title">Names &amp; more</h1>
      {/* <Item /> */}
      <ul id='names' {...onPick.props}>
        {names.map((name) => (
          <Item key={name} name={name} onClick={() => setPicked(name)} />
        ))}
      </ul>
      {picked && <Item name={picked} selected />}
      <List.Footer text="if (x != null) x.dispose()" />
    </>
  );
}

const Item = ({ name, selected = false, ...rest }) => <li {...rest}>{selected ? <b>{name}</b> : name}</li>;
