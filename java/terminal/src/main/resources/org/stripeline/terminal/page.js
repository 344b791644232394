// Sorts a table by the column whose heading is pressed: by number where both cells begin with one.
document.querySelectorAll('table').forEach(table => {
  const headings = [...table.querySelectorAll('th')];
  headings.forEach((heading, column) => heading.querySelector('button').addEventListener('click', () => {
    const up = heading.getAttribute('aria-sort') !== 'ascending';
    headings.forEach(other => other.removeAttribute('aria-sort'));
    heading.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const text = row => row.cells[column].textContent;
    const number = row => parseFloat(text(row).replace(/,/g, ''));
    const compare = (a, b) => {
      const [x, y] = [number(a), number(b)];
      return isNaN(x) || isNaN(y) ? text(a).localeCompare(text(b)) : x - y;
    };
    const rows = [...table.tBodies[0].rows].sort((a, b) => up ? compare(a, b) : compare(b, a));
    table.tBodies[0].append(...rows);
  }));
});
