Point(1) = {0, 0, ;
